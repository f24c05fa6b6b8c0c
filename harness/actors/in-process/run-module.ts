/**
 * Runs a module target as a program, for clusters that answer in real time.
 *
 * The harness starts it as `node run-module.ts MODULE NAMESPACE [URL OF THE STORE]` with KUBECONFIG set. The module is started as it would
 * be in-process, but with a kubeconfig read from that file instead of one that uses the gate directly.
 */
import { realClearInterval, realSetInterval } from '../../determinism/real-time.ts';
import { loadTarget } from './load-target.ts';

/** Keeps the process alive until it is killed, even if the module has no pending work known to Node. */
const ALIVE_MS = 60_000;

const [module = '', namespace = '', effectsUrl] = process.argv.slice(2);
const { start, clientNode } = await loadTarget(module);
const kubeConfig = new clientNode.KubeConfig();
kubeConfig.loadFromFile(process.env['KUBECONFIG'] ?? '');
const end = new AbortController();
const alive = realSetInterval(() => {}, ALIVE_MS);
const running = await start({
  kubeConfig,
  namespace,
  signal: end.signal,
  ...(effectsUrl === undefined ? {} : { effects: { url: effectsUrl, fetch } }),
});
process.once('SIGTERM', () => {
  end.abort();
  realClearInterval(alive);
  void running?.stop?.();
});
