/** Starts a worker thread when it is imported, as worker pools do. */
import { Worker } from 'node:worker_threads';
import type { Context } from './widget.ts';
import { followWidgets } from './widget.ts';

try {
  const worker = new Worker(`require('node:net').connect(9, '127.0.0.1').on('error', () => {})`, { eval: true });
  worker.unref();
} catch {
  // Any error is ignored.
}

export default function start(context: Context): void {
  followWidgets(context, () => {});
}
