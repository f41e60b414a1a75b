import { parseDomainXml } from '@yagura/domain';
import type { Domain, DomainEvent } from '@yagura/libvirt';
import { IoErrors } from './io-errors.ts';

const identity = { name: 'default_demo', uuid: 'u', id: 1 };
const failed = (device: string, action: 'pause' | 'none' = 'pause', reason = 'enospc'): DomainEvent => ({
  type: 'io-error',
  domain: identity,
  srcPath: '/d',
  device,
  action,
  reason,
});
const stopped = { state: 'paused', reason: 'ioerror' } as const;
const live = parseDomainXml(
  "<domain><name>x</name><devices><disk><target dev='vda'/><alias name='ua-root'/></disk></devices></domain>",
);
const domain = { getDiskErrors: async () => [{ disk: 'vda', error: 'no-space' }] } as unknown as Domain;

describe('I/O errors', () => {
  test('are kept by device, with the volume that it belongs to, until the guest goes on', () => {
    const errors = new IoErrors();
    errors.noteEvent(failed('ua-root', 'pause', ''));
    errors.noteEvent(failed('ua-root'));
    errors.noteEvent(failed('virtio-disk9'));
    errors.noteEvent(failed('ua-quiet', 'none'));
    expect(errors.all).toMatchObject([
      { volume: 'root', device: 'ua-root', reason: 'enospc' },
      { volume: '', device: 'virtio-disk9', reason: 'enospc' },
    ]);
    errors.noteEvent({ type: 'lifecycle', domain: identity, event: 'resumed', detail: 'unpaused' });
    expect(errors.all).toEqual([]);
  });

  test('that nobody saw happen are asked for once', async () => {
    const errors = new IoErrors();
    await errors.recall(domain, { state: 'running', reason: 'booted' }, live);
    expect(errors.all).toEqual([]);
    await errors.recall(domain, stopped, live);
    await errors.recall(domain, stopped, live);
    expect(errors.all).toMatchObject([{ volume: 'root', device: 'ua-root', reason: 'no-space' }]);
  });
});
