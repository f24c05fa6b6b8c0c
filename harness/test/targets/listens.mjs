/**
 * A controller with a choice of unusual behaviours. It watches widgets and changes nothing.
 *
 * Arguments: the behaviour (see MANNERS), then a port.
 */
import { spawn } from 'node:child_process';
import { openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { get } from 'node:https';

const [manner = 'well', port = '0'] = process.argv.slice(2);

/** Lists and watches widgets. Imports the client on demand, because one of the behaviours must not use it. */
async function work() {
  const { send, WIDGETS } = await import('./kube-client.mjs');
  const { body } = await send('GET', WIDGETS);
  if (manner === 'fails') throw new Error('cannot go on after the first list');
  const from = body.metadata.resourceVersion;
  const opened = () => console.log('caches are synced');
  await send('GET', `${WIDGETS}?watch=1&resourceVersion=${from}`, undefined, () => {}, opened);
}

const MANNERS = {
  well: work,
  fails: work,
  /** Connects to a different API server from the one in KUBECONFIG. */
  strays: () => {
    const asked = get('https://10.96.0.1:443/api', { timeout: 500 });
    asked.on('timeout', () => asked.destroy(new Error('nobody answers')));
    asked.on('error', ({ code, message }) => console.log(`no cluster: ${code ?? message}`));
    setInterval(() => {}, 1000);
  },
  'serves-ready': () => {
    void work();
    let asked = 0;
    createServer((request, response) => {
      response.statusCode = ++asked > 2 ? 200 : 500;
      response.end();
    }).listen(Number(port), '127.0.0.1');
  },
  /** Becomes ready 100 ms after the API server has answered. */
  'serves-ready-once-synced': () => {
    let ready = false;
    void import('./kube-client.mjs')
      .then(({ send, WIDGETS }) => send('GET', WIDGETS))
      .then(() => setTimeout(() => (ready = true), 100));
    void work();
    createServer((_, response) => {
      response.statusCode = ready ? 200 : 500;
      response.end();
    }).listen(Number(port), '127.0.0.1');
  },
  /** Serves metrics: each request counts as one reconcile, and leaks ten file descriptors. */
  'serves-metrics': () => {
    void work();
    let asked = 0;
    createServer((request, response) => {
      for (let file = 0; file < 10; file++) openSync('/dev/null', 'r');
      response.end(`controller_runtime_reconcile_total{controller="widget",result="success"} ${++asked}\n`);
    }).listen(Number(port), '127.0.0.1');
  },
  /** Listens twice on the same port. */
  'takes-ports': () => {
    for (const server of [createServer(), createServer()]) server.listen(Number(port), '127.0.0.1');
  },
  floods: () => {
    for (let line = 0; line < 20_000; line++) console.log(`line ${line} of far too many`);
    void work();
  },
  'ends-in-time': () => {
    process.on('SIGTERM', () => {
      console.log('asked to end');
      if (process.env.LAST_WORDS) writeFileSync(process.env.LAST_WORDS, 'asked to end');
      process.exit(0);
    });
    void work();
  },
  'works-now-and-then': () => {
    void work();
    setInterval(() => console.log('five minutes have passed'), 300_000);
  },
  'ignores-sigterm': () => {
    process.on('SIGTERM', () => console.log('no'));
    void work();
  },
  /** Starts working after its parent process has exited. */
  'in-the-background': () => {
    const parent = process.ppid;
    const look = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(look);
      void work();
    }, 5);
  },
  /** Restarts itself as a background process and exits. */
  daemonises: () => {
    spawn(process.execPath, [process.argv[1], 'in-the-background'], { detached: true, stdio: 'ignore' }).unref();
    process.exit(0);
  },
  'says-its-environment': () => {
    console.log(`${process.env.GREETING} from ${process.cwd()}`);
    void work();
  },
};

await MANNERS[manner]();
