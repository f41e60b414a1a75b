// `npm run format`: the one format, applied.
import { bin, exec } from './exec.ts';

process.exit(await exec(bin('biome'), ['check', '--write', '.']));
