import { type Domain, type DomainEvent, LibvirtTimeoutError } from '@yagura/libvirt';
import type { Logger } from '@yagura/runtime';
import { LiveXml } from './live-xml.ts';

const log = { debug: () => {} } as unknown as Logger;
const event = (type: 'lifecycle' | 'balloon-change') => ({ type }) as unknown as DomainEvent;

function reader() {
  const state = { reads: 0, hangs: false, silent: false };
  const domain = {
    getXMLDesc: async () => {
      state.reads += 1;
      if (state.hangs) throw new LibvirtTimeoutError('Domain.getXMLDesc', 2000, true);
      return '<domain type="qemu"><name>x</name></domain>';
    },
  } as unknown as Domain;
  return { state, domain, xml: new LiveXml(log, () => state.silent) };
}

describe('the XML of a running domain', () => {
  test('is read once, and again only when something may have changed it', async () => {
    const { state, domain, xml } = reader();
    await xml.refresh(domain, true);
    await xml.refresh(domain, true);
    xml.noteEvent(event('balloon-change'));
    await xml.refresh(domain, true);
    expect(state.reads).toBe(1);
    xml.noteEvent(event('lifecycle'));
    await xml.refresh(domain, true);
    xml.invalidate();
    await xml.refresh(domain, true);
    expect(state.reads).toBe(3);
  });

  test('stays as it was while QEMU does not answer, and is read again after that', async () => {
    const { state, domain, xml } = reader();
    await xml.refresh(domain, true);
    xml.invalidate();
    state.hangs = true;
    expect(await xml.refresh(domain, true)).toBeUndefined();
    state.silent = true;
    expect(await xml.refresh(domain, true)).toBeUndefined();
    expect(state.reads).toBe(2);
    expect(xml.live?.name).toBe('x');
    Object.assign(state, { hangs: false, silent: false });
    expect(await xml.refresh(domain, true)).toBeDefined();
  });
});
