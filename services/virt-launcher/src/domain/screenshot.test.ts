import { PNG } from 'pngjs';
import { pngOf } from './screenshot.ts';

const pixels = Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30, 40, 50, 60, 70, 80, 90]);

test.each(['P6\n3 2\n255\n', 'P6\n# QEMU\n3 2\n255\n', 'P6 3 2 255 '])(
  'a PPM with the header %j becomes a PNG',
  (header) => {
    const { width, height, data } = PNG.sync.read(pngOf(Buffer.concat([Buffer.from(header), pixels])));
    expect([width, height]).toEqual([3, 2]);
    const rgb = [...data].filter((_, index) => index % 4 !== 3);
    expect(rgb).toEqual([...pixels]);
  },
);

test.each([
  ['GIF89a', 'neither a PNG nor a PPM'],
  ['P6\n9 9\n255\nxx', 'cut short'],
])('%j is refused', (text, why) => {
  expect(() => pngOf(Buffer.from(text))).toThrow(why);
});
