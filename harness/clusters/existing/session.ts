/**
 * A session on an existing cluster: what earlier ones have left is removed first, and what this one makes at its end.
 *
 * Owns: the order of both, also when the work in between fails. Start at {@link withExisting}.
 */
import { HarnessError } from '../../model/errors.ts';
import { standingText, type ExistingAccess } from './access.ts';
import { admitCluster } from './admission.ts';
import { cleanUp } from './clean-up.ts';
import { Footprint, leftFootprints } from './footprint.ts';

type Report = (line: string) => void;

/**
 * Does `work`, after saying with `report` where it is about to write; resolves with its result and with what could not be taken away, one
 * sentence each. That is reported when `work` throws.
 *
 * @throws what `work` throws; {REFUSED} {CLUSTER_UNAVAILABLE} when the cluster may not be used, or cannot be reached.
 */
export async function withExisting<T>(
  access: ExistingAccess,
  work: () => Promise<T>,
  report: Report = () => {},
): Promise<{ readonly result: T; readonly left: readonly string[] }> {
  const { kubeconfig, context, allowed, run } = access;
  const { remote, version, uid } = await admitCluster(access);
  report(standingText(access, remote.url, version));
  const left: string[] = [];
  for (const { footprint, head, isAlive } of leftFootprints())
    if (!isAlive && head.url === remote.url && (head.uid ?? uid) === uid)
      left.push(...(await cleanUp(remote, footprint)).left);
  const footprint = new Footprint(run);
  footprint.begin({ url: remote.url, context, kubeconfig, allowed, ...(uid === undefined ? {} : { uid }) });
  try {
    const result = await work();
    left.push(...(await cleaned(access, footprint)));
    return { result, left };
  } catch (error) {
    const more = await cleaned(access, footprint).catch((why: unknown) => [textOf(why)]);
    reportLeft([...left, ...more], report);
    throw error;
  }
}

/** The same for work whose result has no place for what could not be taken away: it is reported. */
export async function onExisting<T>(
  access: ExistingAccess,
  work: () => Promise<T>,
  report: Report = () => {},
): Promise<T> {
  const { result, left } = await withExisting(access, work, report);
  reportLeft(left, report);
  return result;
}

function reportLeft(left: readonly string[], report: Report): void {
  for (const why of left) report(`warning: left on the cluster: ${why}`);
}

/** @throws {REFUSED} when what answers is not what was used: that must not look like an ordinary end. */
async function cleaned(access: ExistingAccess, footprint: Footprint): Promise<readonly string[]> {
  try {
    const { remote } = await admitCluster(access, { same: footprint.read()?.head.uid });
    return (await cleanUp(remote, footprint)).left;
  } catch (error) {
    if (error instanceof HarnessError && error.code === 'REFUSED') throw error;
    return [`what the run made is still there (${textOf(error)}); remove it with "stalemate clean"`];
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
