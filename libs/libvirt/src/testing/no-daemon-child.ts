// Opens the URI of its argument where no daemon runs, and prints what that gave.
import { Connection, LibvirtError } from '../index.ts';

const error: unknown = await Connection.open(process.argv[2] ?? '').catch((caught: unknown) => caught);
console.log(error instanceof LibvirtError ? error.code : 'opened');
