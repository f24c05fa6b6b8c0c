/**
 * Replays the examples whose controller is a program. Examples with the same configuration share a host, so that its undisturbed runs are
 * measured once.
 *
 * Owns: which examples can run on this machine, and the expected outcome of each. Start at {@link replayProcesses}.
 */
import { resolve } from 'node:path';
import { missingToxiproxyText } from 'stalemate-apiserver/control-plane/binaries';
import { findToxiproxy } from '../../harness/clusters/control-plane.ts';
import { resolveRun, revisitConfigured } from '../../harness/cli/library.ts';
import { loadConfigFile } from '../../harness/execution/config/config-file.ts';
import { corpusEntryOf, type NamedEntry, type Revisited } from '../../harness/model/corpus.ts';
import { isConnectionFault } from '../../harness/model/schedule.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { configOf, isOfProcess, readExample } from './pages.ts';
import { EXAMPLES, type Example } from './table.ts';

/**
 * The timing of bytes in a process is not controlled: a failing example must fail in at least one of this many runs, a holding one in none.
 */
const TIMES = 3;

/** The result of an example; `problem` is undefined if it is as the pages say. */
export interface Told {
  readonly name: string;
  readonly reproduced: string;
  readonly problem?: string;
}

/** Examples that cannot run on this machine, and why. */
export function leftOut(): { readonly names: readonly string[]; readonly why: string } {
  const names =
    findToxiproxy() === undefined
      ? ofProcesses()
          .filter(isOfConnections)
          .map(({ name }) => name)
      : [];
  return { names, why: missingToxiproxyText() };
}

/** Replays all examples that can run. Configurations run in parallel, because processes wait more than they compute. */
export async function replayProcesses(tell: (told: Told) => void): Promise<void> {
  const { names } = leftOut();
  const groups = Map.groupBy(
    ofProcesses().filter(({ name }) => !names.includes(name)),
    (example) => configOf(example) ?? '',
  );
  await Promise.all(
    [...groups].map(async ([config, examples]) => {
      const configFile = resolve(REPOSITORY_ROOT, config);
      const options = await loadConfigFile(configFile);
      await revisitConfigured(examples.map(entryOf), resolveRun(options, { cwd: REPOSITORY_ROOT, configFile }), {
        times: TIMES,
        onRevisited: (revisited) => tell(toldOf(revisited, examples)),
      });
    }),
  );
}

function ofProcesses(): readonly Example[] {
  return EXAMPLES.filter((example) => isOfProcess(readExample(example)));
}

function isOfConnections(example: Example): boolean {
  return readExample(example).schedule.faults.some(isConnectionFault);
}

function entryOf(example: Example): NamedEntry {
  const why = { state: 'open', reason: '', since: '2026-11-22' } as const;
  return { name: example.name, entry: corpusEntryOf(readExample(example), why) };
}

function toldOf({ name, outcome, k, n, missed, detail }: Revisited, examples: readonly Example[]): Told {
  const isWell = examples.some((example) => example.name === name && example.byHand === 'holds');
  const reproduced = `${k} of ${n}`;
  if (outcome === (isWell ? 'holds' : 'fails')) return { name, reproduced };
  const came = [outcome, detail, ...missed.map((label) => `"${label}" never came`)].filter(
    (part) => part !== undefined,
  );
  return { name, reproduced, problem: `expected it to ${isWell ? 'hold' : 'fail'}, got: ${came.join(', ')}` };
}
