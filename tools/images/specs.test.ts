import { selectSpecs, specs } from './specs.ts';

describe('the images', () => {
  test('are all built unless some are named', () => {
    expect(selectSpecs(undefined)).toEqual(specs);
    expect(selectSpecs(['virt-api', 'guest-tiny']).map(({ name }) => name)).toEqual(['virt-api', 'guest-tiny']);
  });

  test('that do not exist are refused with the list of those that do', () => {
    expect(() => selectSpecs(['virt-api', 'virt-ape'])).toThrow(
      /^no image is named virt-ape; there are virt-launcher, /,
    );
  });
});
