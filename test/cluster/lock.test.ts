import { BusyError, takeLock } from './lock.ts';

const name = `test-${process.pid}`;

test('the second is refused and told who has it; after the first has let go it is free', async () => {
  const first = await takeLock('npm run up in /work/one, process 42', name);
  const refused = takeLock('npm run up in /work/two, process 43', name);
  await expect(refused).rejects.toThrow(BusyError);
  await expect(refused).rejects.toThrow('npm run up in /work/one, process 42');
  await first.release();
  const second = await takeLock('another', name);
  await second.release();
});
