/**
 * The gate in front of a server of the language driver: all traffic passes it as labelled items, and nothing is held.
 *
 * Shows that real clients do not notice the gate, although it parses, labels and forwards their traffic.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { CertificateAuthority } from 'stalemate-apiserver/http';
import { kubeconfigOf } from 'stalemate-apiserver/wire/kubeconfig';
import { readKubeconfig } from '../../harness/clusters/existing/kubeconfig-file.ts';
import { openGate } from '../../harness/gate/http/open-gate.ts';
import { RemoteServer } from '../../harness/gate/http/remote.ts';
import { EMPTY_SCHEDULE } from '../../harness/model/schedule.ts';
import { ReplayScheduler } from '../../harness/schedule/replay-scheduler.ts';

export interface StandingGate {
  /** Requests and watch events so far. */
  readonly passed: () => { readonly requests: number; readonly events: number };
  close(): Promise<void>;
}

/** Opens a gate in front of the server of `kubeconfig`, and writes a kubeconfig for the gate to `written`. */
export async function openStandingGate(kubeconfig: string, written: string): Promise<StandingGate> {
  const access = readKubeconfig(kubeconfig);
  const authority = new CertificateAuthority();
  const token = randomBytes(16).toString('hex');
  const standing = await openGate({
    remote: new RemoteServer(access.remote),
    tls: { identity: authority.issueServer(), clientCa: authority.certificate },
    token,
    actor: 'controller',
    scheduler: new ReplayScheduler(EMPTY_SCHEDULE),
    now: () => performance.now(),
  });
  const { context: name, namespace } = access;
  const config = kubeconfigOf({ name, server: standing.front.url, ca: authority.certificate, token, namespace });
  writeFileSync(written, stringify(config), { mode: 0o600 });
  return {
    passed: () => ({ requests: standing.recorder.operations.length, events: standing.recorder.deliveries.length }),
    close: () => standing.close(),
  };
}
