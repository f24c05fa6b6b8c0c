/** Runs a server on a socket: prints its kubeconfig as one line, and "done" after each reset that an input line asks for. */
import { createInterface } from 'node:readline';
import { startApiServer } from '../../index.ts';

const running = startApiServer();
console.log((await running.listen()).kubeconfig);
for await (const _ of createInterface({ input: process.stdin })) {
  running.reset();
  console.log('done');
}
