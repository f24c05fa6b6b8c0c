/**
 * A session on an existing cluster: removes leftovers of earlier sessions first, and its own at the end.
 *
 * Owns: doing both, even if the work in between fails. Start at {@link withExisting}.
 */
import { HarnessError } from '../../model/errors.ts';
import { standingText, type ExistingAccess } from './access.ts';
import { admitCluster } from './admission.ts';
import { cleanUp } from './clean-up.ts';
import { Footprint, leftFootprints } from './footprint.ts';

type Report = (line: string) => void;

/**
 * Runs `work` after calling `report` with a description of where it is about to write. Resolves with its result and with what could not be
 * removed, one sentence for each object; if `work` throws, these sentences are reported.
 *
 * @throws the error of `work`; {REFUSED} {CLUSTER_UNAVAILABLE} if the cluster may not be used, or cannot be reached.
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

/** As {@link withExisting}, but reports what could not be removed, for work whose result has no field for that. */
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

/** @throws {REFUSED} if a different server answers than before, because the run must not appear to have ended normally. */
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
