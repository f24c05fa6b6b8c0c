/** Takes the real timers from a fresh realm, bypassing the virtual clock. */
import { MessageChannel } from 'node:worker_threads';
import type { Context } from './widget.ts';
import { followWidgets } from './widget.ts';

export default function start(context: Context): void {
  followWidgets(context, () => {
    const { port1, port2 } = new MessageChannel();
    port1.once('message', () => port1.close());
    port2.postMessage('later');
  });
}
