import { watch } from 'node:fs/promises';
import type { Context } from './widget.ts';
import { followWidgets } from './widget.ts';

export default async function start(context: Context): Promise<void> {
  for await (const _ of watch('.')) break;
  followWidgets(context, () => {});
}
