import { scrypt } from 'node:crypto';
import type { Context } from './widget.ts';
import { followWidgets } from './widget.ts';

export default async function start(context: Context): Promise<void> {
  // A key of this cost takes longer to derive than a run would wait.
  await new Promise((done) => scrypt('a', 'b', 64, { N: 2 ** 18, maxmem: 2 ** 30 }, done));
  followWidgets(context, () => {});
}
