/** The kubelet's device plugin API, which virt-handler serves and registers with. */
export * from './gen/kubelet/deviceplugin/v1beta1/api_pb.js';
