import type { Context } from './widget.ts';
import { followWidgets } from './widget.ts';

export default async function start(context: Context): Promise<void> {
  await new Promise(() => {});
  followWidgets(context, () => {});
}
