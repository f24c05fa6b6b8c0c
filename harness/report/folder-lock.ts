/**
 * One run at a time writes to a report folder: two that find the same kind of failure would replace each other's files, and a story
 * would stand beside the record of another.
 *
 * Who has a folder says so in a file, and touches it as long as it lives: of a process in another container nothing else is known, and
 * a folder is often all that a container leaves. Start at {@link lockFolder}.
 */
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realClearInterval, realDate, realSetInterval } from '../determinism/real-time.ts';
import { HarnessError } from '../model/errors.ts';
import { isOurProcess, markOf, ourHost, ourProcess, type ProcessIdentity } from './process-identity.ts';

const TOUCH_MS = 2_000;
/** Nobody is held up for so long, on whatever machine, and clocks do not differ by so much. */
const SILENT_MS = 120_000;

/**
 * Takes the folder, which must exist, until the returned function is called or this process ends.
 *
 * @throws {USAGE} when another process that still lives has it.
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'in-use');
  const own = ourProcess();
  while (!written(path, `${JSON.stringify({ version: 1, ...own })}\n`)) {
    const holder = holderOf(path);
    if (holder !== undefined && isAlive(holder, path)) {
      throw new HarnessError(
        'USAGE',
        `another run (${whoText(holder)}) writes to "${folder}"; wait for it, or name another folder with --report-dir`,
      );
    }
    rmSync(path, { force: true });
  }
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

function touch(path: string, isOurs: () => boolean): void {
  try {
    const now = realDate();
    if (isOurs()) utimesSync(path, now, now);
  } catch {
    // A folder that was removed belongs to nobody.
  }
}

function isAlive(holder: ProcessIdentity, path: string): boolean {
  if (holder.host === ourHost()) return isOurProcess(holder);
  try {
    return realDate().getTime() - statSync(path).mtimeMs < SILENT_MS;
  } catch {
    return false;
  }
}

function whoText({ pid, host }: ProcessIdentity): string {
  if (host === ourHost()) return `process ${pid}`;
  return `process ${pid} of ${host.split(' ')[0] ?? ''}, or one that ended less than ${SILENT_MS / 60_000} minutes ago`;
}

function written(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new HarnessError('OUTPUT_FAILED', `could not write "${path}": ${String(error)}`, { cause: error });
  }
}

/** Undefined when it has let go in the meantime, or was cut short. */
function holderOf(path: string): ProcessIdentity | undefined {
  try {
    const { version, host, pid, started } = JSON.parse(readFileSync(path, 'utf8')) as Partial<ProcessIdentity> & {
      readonly version?: number;
    };
    if (version !== 1 || host === undefined || pid === undefined || started === undefined) return undefined;
    return { host, pid, started };
  } catch {
    return undefined;
  }
}
