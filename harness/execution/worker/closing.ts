/**
 * Closes a worker's sockets before its thread is ended: Node aborts the whole process if HTTP/2 continues to read in a thread that ends
 * (nodejs/node#38418).
 *
 * Owns: both ends of the close request. Does not own: when a worker is ended (`supervisor.ts`).
 */
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { MessagePort, Worker } from 'node:worker_threads';
import { realClearTimeout, realSetTimeout } from '../../determinism/real-time.ts';

/** A worker that does not answer within this real time, in ms, counts as blocked; a blocked worker reads nothing. */
const CLOSES_WITHIN_MS = 500;

/** Call in a worker: tracks its sockets from now on, and closes them when `port` requests it. The port does not keep the thread alive. */
export function closeWhenAsked(port: MessagePort): void {
  const open = new Set<Socket>();
  let isClosing = false;
  const opened = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    if (isClosing) {
      // Node would reopen a socket that is about to connect.
      process.nextTick(() => socket.destroy());
      return;
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  subscribe('net.client.socket', opened);
  subscribe('net.server.socket', opened);
  port.on('message', () => {
    isClosing = true;
    for (const socket of open) socket.destroy();
    port.postMessage('closed');
  });
  port.unref();
}

/** Ends a worker once it has closed its sockets or fails to answer. `port` is the other end of the worker's port. */
export function endWorker(worker: Worker, port: MessagePort): void {
  const end = (): void => {
    realClearTimeout(timer);
    port.close();
    void worker.terminate();
  };
  const timer = realSetTimeout(end, CLOSES_WITHIN_MS);
  port.once('message', end);
  port.postMessage('close');
}
