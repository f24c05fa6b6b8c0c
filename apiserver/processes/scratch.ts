/**
 * Scratch folders of child programs, named after their owner process, so that a later run can find orphans.
 *
 * A watchdog ends the programs when this process ends. If the watchdog was killed too, or was too slow, the orphans are found here: the
 * folder name identifies the owner, and a file in the folder lists the started processes. Only folders of this user are considered: the
 * system's temporary folder is world-writable. Owns: these names and files. Start at {@link scratchFolder}, {@link endLeft}.
 */
import { appendFileSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  hostMark,
  identityOf,
  isOurProcess,
  markOf,
  ourHost,
  ourProcess,
  type ProcessIdentity,
} from './process-identity.ts';

/** Prefix of folders of control planes. */
export const CONTROL_PLANE = 'control-plane';
/** Prefix of folders of connection proxies. */
export const TOXIPROXY = 'toxiproxy';

const PROCESSES = 'processes.jsonl';
/** The name of a scratch folder: `stalemate-control-plane-0a1b2c3d-1234-567890-aBcDeF`. */
const NAME = /^(?<kind>stalemate-[a-z-]+)-(?<host>[0-9a-f]{8})-(?<pid>\d+)-(?<started>\d*)-[A-Za-z0-9]{6}$/;

/** Creates a new folder for a kind of program. */
export function scratchFolder(kind: string, parent: string = tmpdir()): string {
  return mkdtempSync(join(parent, `stalemate-${kind}-${markOf(ourProcess())}-`));
}

/** Records in `folder` that a process uses it. */
export function noteProcess(folder: string, pid: number): void {
  appendFileSync(join(folder, PROCESSES), `${JSON.stringify(identityOf(pid))}\n`);
}

/** Leftovers of an interrupted run. */
export interface Left {
  readonly folder: string;
  readonly pids: readonly number[];
}

/** Ends the orphans of one kind of program, whose owner process is gone, and removes their folders. With `dryRun` it only returns them. */
export function endLeft(kind: string, dryRun = false, parent: string = tmpdir()): readonly Left[] {
  return namesIn(parent).flatMap((name) => {
    const { kind: found, host, pid, started = '' } = NAME.exec(name)?.groups ?? {};
    const folder = join(parent, name);
    if (found !== `stalemate-${kind}` || host !== hostMark() || !isOwn(folder)) return [];
    if (isOurProcess({ host: ourHost(), pid: Number(pid), started })) return [];
    const running = processesIn(folder).filter(isOurProcess);
    if (!dryRun) {
      for (const process of running) kill(process);
      remove(folder);
    }
    return [{ folder, pids: running.map((process) => process.pid) }];
  });
}

function kill({ pid }: ProcessIdentity): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has exited meanwhile.
  }
}

/** The watchdog or another harness may be removing the folder at the same time. What remains is found again later. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // A file was written or removed meanwhile.
  }
}

function namesIn(parent: string): readonly string[] {
  try {
    return readdirSync(parent).toSorted();
  } catch {
    return [];
  }
}

function isOwn(folder: string): boolean {
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid);
  } catch {
    return false;
  }
}

function processesIn(folder: string): readonly ProcessIdentity[] {
  try {
    return readFileSync(join(folder, PROCESSES), 'utf8')
      .split('\n')
      .flatMap((line) => {
        try {
          return [JSON.parse(line) as ProcessIdentity];
        } catch {
          // The file is half written: the run was interrupted while writing it.
          return [];
        }
      });
  } catch {
    return [];
  }
}
