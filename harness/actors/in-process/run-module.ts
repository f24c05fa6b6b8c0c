/**
 * A target that is a module, run as a program: for clusters that answer in real time.
 *
 * Started by the harness itself as `node run-module.ts MODULE NAMESPACE [URL OF THE STORE]` with KUBECONFIG set. The module is started as
 * in this process, with a kubeconfig read from that file instead of one that leads to the gate by itself.
 */
import { realClearInterval, realSetInterval } from '../../determinism/real-time.ts';
import { loadTarget } from './load-target.ts';

/** A module may wait for nothing that Node knows of: it lives until it is killed all the same. */
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
