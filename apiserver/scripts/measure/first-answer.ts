/** One process, from its first line to a list of namespaces: prints milliseconds. */
const began = performance.now();
const { startApiServer } = await import('../../index.ts');
const { server } = startApiServer();
let code = 0;
server.send(
  { method: 'GET', path: '/api/v1/namespaces', query: {}, headers: {} },
  { answer: (answer) => (code = answer.code), open: () => {}, event: () => {}, end: () => {} },
);
if (code !== 200) throw new Error(`expected 200, got ${code}`);
console.log(performance.now() - began);
