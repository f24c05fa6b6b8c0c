/**
 * Locks a report folder, so that one run at a time writes to it. Two runs that find the same failure would replace each other's files, and
 * a story could end up beside the record of the other run.
 *
 * The holder writes its identity into a file and touches that file while it is alive, because nothing else shows whether a process in
 * another container is alive. The folder is often all that remains of a container. Start at {@link lockFolder}.
 */
import { linkSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  hostMark,
  isOurProcess,
  markOf,
  ourHost,
  ourProcess,
  type ProcessIdentity,
} from 'stalemate-apiserver/processes/process-identity';
import { realClearInterval, realDate, realDelay, realSetInterval } from '../determinism/real-time.ts';
import { HarnessError } from '../model/errors.ts';
import { partialOf } from './write-files.ts';

const TOUCH_MS = 2_000;
/** The time without a touch after which a holder counts as dead: no live process pauses that long, and clocks differ by less. */
const SILENT_MS = 120_000;

/**
 * Locks the folder, which must exist, until the returned function is called or this process ends.
 *
 * @param flag - The flag that names another folder, for the error message.
 * @throws {USAGE} if another live process holds the lock.
 */
export function lockFolder(folder: string, flag = '--report-dir'): () => void {
  const path = join(folder, 'in-use');
  const own = ourProcess();
  const holder = take(path);
  if (holder !== undefined)
    throw new HarnessError(
      'USAGE',
      `another run (${whoText(holder)}) writes to "${folder}"; wait for it, or name another folder with ${flag}`,
    );
  const isOurs = (): boolean => {
    const holder = holderOf(path);
    return holder !== undefined && markOf(holder) === markOf(own);
  };
  const touching = realSetInterval(() => touch(path, isOurs), TOUCH_MS);
  touching.unref();
  const release = (): void => {
    process.off('exit', release);
    realClearInterval(touching);
    if (isOurs()) rmSync(path, { force: true });
  };
  process.on('exit', release);
  return release;
}

export interface TakeManner {
  readonly signal: AbortSignal;
  /** Called once if the wait is long, with the reason for it. */
  readonly onWait: (why: string) => void;
}

/**
 * Locks the folder as {@link lockFolder} does, but if the holder may have been killed on another machine, waits until that
 * holder has been silent for long enough. Does not wait for a holder that is visibly alive.
 *
 * @throws {USAGE}
 */
export async function takeFolder(folder: string, { signal, onWait }: TakeManner): Promise<() => void> {
  const path = join(folder, 'in-use');
  const first = touchedAt(path);
  for (let isReported = false; ; isReported = true) {
    try {
      return lockFolder(folder);
    } catch (error) {
      const holder = holderOf(path);
      const mayBeGone = holder !== undefined && holder.host !== ourHost() && touchedAt(path) === first;
      if (!mayBeGone || signal.aborted) throw error;
      if (!isReported) onWait(`${whoText(holder)}, had "${folder}"; waiting for it to be silent for so long`);
      await realDelay(TOUCH_MS);
    }
  }
}

function touchedAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function touch(path: string, isOurs: () => boolean): void {
  try {
    const now = realDate();
    if (isOurs()) utimesSync(path, now, now);
  } catch {
    // The folder was removed, and the lock with it.
  }
}

function isAlive(holder: ProcessIdentity, path: string): boolean {
  if (holder.host === ourHost()) return isOurProcess(holder);
  return realDate().getTime() - touchedAt(path) < SILENT_MS;
}

function whoText({ pid, host }: ProcessIdentity): string {
  if (host === ourHost()) return `process ${pid}`;
  return `process ${pid} of ${host.split(' ')[0] ?? ''}, or one that ended less than ${SILENT_MS / 60_000} minutes ago`;
}

/** Records this process as the holder, or returns the live process that got the lock first. */
function take(path: string): ProcessIdentity | undefined {
  for (;;) {
    if (isWritten(path, `${JSON.stringify({ version: 1, ...ourProcess() })}\n`)) return undefined;
    // Read only once: a second read could return the lock of a process that started in between, and treat it as stale.
    const text = textOf(path);
    const holder = holderIn(text);
    if (holder !== undefined && isAlive(holder, path)) return holder;
    const faster = removeLeft(path, text);
    if (faster !== undefined) return faster;
  }
}

/**
 * Removes the lock of a dead holder, but never that of a process that started in between: only one process at a time may remove
 * a lock with this text, and it reads the file again first.
 */
function removeLeft(path: string, text: string | undefined): ProcessIdentity | undefined {
  if (text === undefined) return undefined;
  const claim = `${path}-${hostMark(text)}`;
  const faster = take(claim);
  if (faster !== undefined) return faster;
  if (textOf(path) === text) rmSync(path, { force: true });
  rmSync(claim, { force: true });
  return undefined;
}

/** Creates the file atomically, with its whole text: a reader of a partial file would consider the lock abandoned. */
function isWritten(path: string, text: string): boolean {
  const whole = partialOf(path);
  try {
    writeFileSync(whole, text);
    linkOrWrite(whole, path, text);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new HarnessError('OUTPUT_FAILED', `could not write "${path}": ${String(error)}`, { cause: error });
  } finally {
    rmSync(whole, { force: true });
  }
}

/** Links the file, or else writes it directly: some file systems, such as those of Windows shares, have no hard links. */
function linkOrWrite(whole: string, path: string, text: string): void {
  try {
    linkSync(whole, path);
  } catch (error) {
    const isWithout = NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '');
    if (!isWithout) throw error;
    writeFileSync(path, text, { flag: 'wx' });
  }
}

const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Returns the file's text; undefined if the file no longer exists. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns the holder; undefined if the lock has been released in the meantime or its file is truncated. */
function holderOf(path: string): ProcessIdentity | undefined {
  return holderIn(textOf(path));
}

function holderIn(text: string | undefined): ProcessIdentity | undefined {
  try {
    const { version, host, pid, started } = JSON.parse(text ?? '') as Partial<ProcessIdentity> & {
      readonly version?: number;
    };
    if (version !== 1 || host === undefined || pid === undefined || started === undefined) return undefined;
    return { host, pid, started };
  } catch {
    return undefined;
  }
}
