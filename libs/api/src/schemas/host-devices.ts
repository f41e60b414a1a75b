import { bool, list, object, str, stringMap, strings } from './build.ts';

const HostDeviceSelectorSchema = object('A device of the node that guests may use.', {
  resourceName: str('Resource name that it is offered as.'),
  externalResourceProvider: bool('Whether another device plugin offers it.'),
  pciVendorSelector: str('vendor:product of a PCI device.'),
  mdevNameSelector: str('Name of a mediated device type.'),
});

export const PermittedHostDevicesSchema = object('Devices of nodes that guests may use.', {
  pciHostDevices: list('PCI devices.', HostDeviceSelectorSchema),
  mediatedDevices: list('Mediated devices.', HostDeviceSelectorSchema),
  usb: list(
    'USB devices.',
    object('A USB device or several that belong together.', {
      resourceName: str('Resource name that it is offered as.'),
      externalResourceProvider: bool('Whether another device plugin offers it.'),
      selectors: list(
        'The devices.',
        object('A USB device.', {}, { vendor: str('Vendor ID.'), product: str('Product ID.') }),
      ),
    }),
  ),
});

const types = {
  mediatedDeviceTypes: strings('Types.'),
  mediatedDevicesTypes: strings('Deprecated spelling of mediatedDeviceTypes.'),
};

export const MediatedDevicesConfigurationSchema = object('Mediated devices that are made on nodes.', {
  enabled: bool('Whether the product makes them; true if unset.'),
  ...types,
  nodeMediatedDeviceTypes: list(
    'Types for some of the nodes.',
    object('Types for the nodes with these labels.', types, { nodeSelector: stringMap('Labels of the nodes.') }),
  ),
});
