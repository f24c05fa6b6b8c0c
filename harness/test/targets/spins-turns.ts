/** Polls the event loop without a pause once it sees the label that only an adversarial writer sets. */
import type { Context } from './widget.ts';
import { followWidgets } from './widget.ts';

export default function start(context: Context): void {
  const poll = (): void => void setImmediate(poll);
  followWidgets(context, (widget) => {
    if (Object.keys(widget.metadata?.labels ?? {}).length > 0) poll();
  });
}
