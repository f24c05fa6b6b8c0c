/**
 * One run at a time writes to a report folder: two that find the same kind of failure would replace each other's files, and a story
 * would stand beside the record of another.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HarnessError } from '../model/errors.ts';

/**
 * Takes the folder, which must exist, until the returned function is called or this process ends.
 *
 * @throws {USAGE} when another process that still lives has it.
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'in-use');
  const own = String(process.pid);
  while (!written(path, own)) {
    const holder = holderOf(path);
    if (holder !== undefined && isAlive(holder)) {
      throw new HarnessError(
        'USAGE',
        `another run (process ${holder}) writes to "${folder}"; wait for it, or name another folder with --report-dir`,
      );
    }
    rmSync(path, { force: true });
  }
  const release = (): void => {
    process.off('exit', release);
    if (holderOf(path) === process.pid) rmSync(path, { force: true });
  };
  process.on('exit', release);
  return release;
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
function holderOf(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
