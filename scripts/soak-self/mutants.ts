/** Measures how many mutants of the correct controllers are found. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { HarnessError, run } from '../../harness/index.ts';
import type { ControllerUnderTest } from '../../harness/index.ts';
import { isCorrect, moduleOf, optionsFor } from '../catalogue.ts';
import { mutantsOf } from '../mutants/operators.ts';
import type { Mutant, MutantFamily } from '../mutants/operators.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONTROLLERS = path.join(ROOT, 'controllers-under-test');

export interface PlacedMutant extends Mutant {
  readonly entry: ControllerUnderTest;
  /** Relative to the controllers' folder. */
  readonly file: string;
}

export interface MutantResult {
  readonly mutant: PlacedMutant;
  /** The property or check that found it; undefined for a survivor. */
  readonly killedBy: string | undefined;
}

/** Returns all mutants of the correct controllers' own files, in their correct/ and common/ folders. */
export function allMutants(entries: readonly ControllerUnderTest[]): readonly PlacedMutant[] {
  return entries.filter(isCorrect).flatMap((entry) =>
    ['correct', 'common'].flatMap((folder) => {
      const directory = path.join(CONTROLLERS, entry.controller, folder);
      return filesOf(directory).flatMap((name) =>
        mutantsOf(name, readFileSync(path.join(directory, name), 'utf8')).map((mutant): PlacedMutant => ({
          ...mutant,
          entry,
          file: path.join(entry.controller, folder, name),
        })),
      );
    }),
  );
}

function filesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .toSorted();
  } catch {
    return [];
  }
}

/** Runs a campaign against one mutant. A mutant that cannot start counts as killed. */
export async function tryMutant(mutant: PlacedMutant, index: number, budget: string): Promise<MutantResult> {
  const home = path.join(ROOT, '.stalemate', 'mutants', String(index));
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(home, 'node_modules'));
  cpSync(path.join(CONTROLLERS, 'lib'), path.join(home, 'lib'), { recursive: true });
  cpSync(path.join(CONTROLLERS, mutant.entry.controller), path.join(home, mutant.entry.controller), {
    recursive: true,
  });
  writeFileSync(path.join(home, mutant.file), mutant.source);
  writeFileSync(path.join(home, 'package.json'), '{"type":"module"}');
  try {
    const options = optionsFor(mutant.entry, { budget, seed: 1, stopAfter: 1 });
    const result = await run({ ...options, target: path.join(home, moduleOf(mutant.entry)) });
    const [finding] = result.findings;
    const told = result.warnings.length > 0 ? 'undisturbed run' : undefined;
    const noted = finding?.violation.signature.property ?? told;
    return { mutant, killedBy: noted };
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { mutant, killedBy: `reference: ${error.code}` };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Killed and total mutants per family. */
export function killRates(
  results: readonly MutantResult[],
): ReadonlyMap<MutantFamily, { killed: number; total: number }> {
  const rates = new Map<MutantFamily, { killed: number; total: number }>();
  for (const { mutant, killedBy } of results) {
    const rate = rates.get(mutant.family) ?? { killed: 0, total: 0 };
    rates.set(mutant.family, { killed: rate.killed + (killedBy === undefined ? 0 : 1), total: rate.total + 1 });
  }
  return rates;
}
