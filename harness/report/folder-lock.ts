/**
 * One run at a time writes to a report folder: two that find the same kind of failure would replace each other's files, and a story
 * would stand beside the record of another.
 *
 * Who has a folder says so in a file, and touches it as long as it lives: of a process in another container nothing else is known, and
 * a folder is often all that a container leaves. Start at {@link lockFolder}.
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
/** No live process pauses for so long, and clocks do not differ by so much. */
const SILENT_MS = 120_000;

/**
 * Takes the folder, which must exist, until the returned function is called or this process ends.
 *
 * @param flag the one that names another folder, for the message.
 * @throws {USAGE} when another process that still lives has it.
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
  /** Hears once that it takes a while. */
  readonly onWait: (why: string) => void;
}

/**
 * Takes the folder as {@link lockFolder} does, after waiting for one that was killed on another machine to be silent for long enough.
 * One that is seen to live is not waited for.
 *
 * @throws {USAGE}
 */
export async function takeFolder(folder: string, { signal, onWait }: TakeManner): Promise<() => void> {
  const path = join(folder, 'in-use');
  const first = touchedAt(path);
  for (let told = false; ; told = true) {
    try {
      return lockFolder(folder);
    } catch (error) {
      const holder = holderOf(path);
      const mayBeGone = holder !== undefined && holder.host !== ourHost() && touchedAt(path) === first;
      if (!mayBeGone || signal.aborted) throw error;
      if (!told) onWait(`${whoText(holder)}, had "${folder}"; waiting for it to be silent for so long`);
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
    // The folder was removed: there is no lock to keep.
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

/** Writes ourselves down as the holder; hands back the one who lives and was faster. */
function take(path: string): ProcessIdentity | undefined {
  for (;;) {
    if (isWritten(path, `${JSON.stringify({ version: 1, ...ourProcess() })}\n`)) return undefined;
    // Read once: a second read might find the lock of a process that came in between, and take it for a stale one.
    const text = textOf(path);
    const holder = holderIn(text);
    if (holder !== undefined && isAlive(holder, path)) return holder;
    const faster = removeLeft(path, text);
    if (faster !== undefined) return faster;
  }
}

/**
 * Removes the lock of a dead holder, and never the file of a process that came in between: only one process at a time may remove what
 * has this text, and it looks once more.
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

/** The file is there with all of its text or not at all: who reads half of it would take it for one that was left. */
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

/** Some file systems, as those of Windows shares, have no links. */
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

/** Undefined when there is none any more. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Undefined when it has let go in the meantime, or was cut short. */
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
