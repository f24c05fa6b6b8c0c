/** Spins for ever once it sees the label that only an adversarial writer sets. */
import type { Context } from './widget.ts';
import { followWidgets } from './widget.ts';

export default function start(context: Context): void {
  followWidgets(context, (widget) => {
    while (Object.keys(widget.metadata?.labels ?? {}).length > 0);
  });
}
