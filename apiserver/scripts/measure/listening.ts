/** Runs a server on a socket: prints its kubeconfig as one line, resets the server for each line of input, and then prints "done". */
import { createInterface } from 'node:readline';
import { startApiServer } from '../../index.ts';

const running = startApiServer();
console.log((await running.listen()).kubeconfig);
for await (const _ of createInterface({ input: process.stdin })) {
  running.reset();
  console.log('done');
}
