/** Prints how many milliseconds a fresh process takes from the call that starts a server to a list of namespaces. */
import { startApiServer } from '../../index.ts';

const began = performance.now();
const { server } = startApiServer();
let code = 0;
server.send(
  { method: 'GET', path: '/api/v1/namespaces', query: {}, headers: {} },
  { answer: (answer) => (code = answer.code), open: () => {}, event: () => {}, end: () => {} },
);
if (code !== 200) throw new Error(`expected 200, got ${code}`);
console.log(performance.now() - began);
