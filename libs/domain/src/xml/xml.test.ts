import fc from 'fast-check';
import { element } from './element.ts';
import { readXml } from './read.ts';
import { writeXml } from './write.ts';

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
// Attributes keep no line ends and elements no surrounding blanks: libvirt's values have neither.
const value = fc
  .string({ unit: 'grapheme', maxLength: 20 })
  // biome-ignore lint: the control characters are the point
  .filter((text) => !/[\u0000-\u001f\u007f-\u009f\ud800-\udfff\ufffe\uffff]/u.test(text) && text.trim() === text);

describe('XML', () => {
  test('is read back as it was written, whatever characters its values hold', () => {
    fc.assert(
      fc.property(name, fc.dictionary(name, value), value, name, (tag, attributes, text, child) => {
        const tree = element(tag, attributes, [element(child, {}, text === '' ? [] : [text]), element('last')]);
        expect(readXml(writeXml(tree))).toEqual(tree);
      }),
    );
  });

  test.each(['08', '0x10', '1e3', 'true', ' '])('keeps the value "%s" as text', (text) => {
    expect(readXml(`<a slot="${text}"/>`).attributes['slot']).toBe(text.trim());
  });

  test.each(['', '<a>', '<a></b>', 'no xml'])('refuses %j', (text) => {
    expect(() => readXml(text)).toThrow('not an XML document');
  });
});
