/**
 * Remembers the targets that this user has started here: a stored file may start them again without a question.
 *
 * Owns: a small file for each target and folder below the user's state folder (`$XDG_STATE_HOME/stalemate/targets`), named by a
 * digest, because a command may contain secrets. Whether a file may start its target is decided in `stored-target.ts`.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CommandTarget, CounterexampleTarget, Network } from '../model/counterexample.ts';
import { stateFolder } from '../report/state-folder.ts';
import { writeWhole } from '../report/write-files.ts';

interface Note {
  readonly version: 1;
  readonly kind: 'used-target';
  readonly network: Network;
}

/**
 * Records a target that the user's own configuration or command line starts. If the record cannot be written, the user will be
 * asked again when a file names the target.
 */
export function noteUse(folder: string, target: CounterexampleTarget): void {
  const note: Note = { version: 1, kind: 'used-target', network: networkOf(target) };
  try {
    const file = fileOf(folder, target);
    const text = `${JSON.stringify(note)}\n`;
    if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeWhole(file, text, 0o600);
  } catch {
    // A read-only home costs a question later, but does not fail the run.
  }
}

/** Returns what a target in that folder could reach when the user last started it; undefined if the user never did. */
export function usedNetwork(folder: string, target: CounterexampleTarget): Network | undefined {
  try {
    const note = JSON.parse(readFileSync(fileOf(folder, target), 'utf8')) as Partial<Note>;
    if (note.version !== 1 || note.kind !== 'used-target') return undefined;
    return note.network === 'host' ? 'host' : 'none';
  } catch {
    return undefined;
  }
}

/** Returns the programs that are started with the target. */
function besideOf({ programs = {} }: CommandTarget): readonly unknown[] {
  const named = Object.entries(programs).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return named.map(([name, { command, directory }]) => [name, directory, ...command]);
}

function networkOf(target: CounterexampleTarget): Network {
  return 'command' in target && target.network === 'host' ? 'host' : 'none';
}

function fileOf(folder: string, target: CounterexampleTarget): string {
  const what =
    'module' in target
      ? ['module', target.module]
      : ['command', target.directory, ...target.command, target.inCluster, ...besideOf(target)];
  const digest = createHash('sha256')
    .update(JSON.stringify([realpathSync(folder), ...what]))
    .digest('hex');
  return stateFolder('targets', `${digest}.json`);
}
