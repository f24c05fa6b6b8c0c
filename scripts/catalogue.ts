/** The controllers under test as options for a campaign. Used by the tour, the benchmark and the self-checks. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { controllers, type ControllerUnderTest } from '../controllers-under-test/catalogue.ts';
import { HarnessError } from '../harness/index.ts';
import type { StalemateOptions } from '../harness/index.ts';
import { builtFolder, sourcesFolder } from './controllers/builds.ts';

export { controllers, type ControllerUnderTest };

const ROOT = fileURLToPath(new URL('../controllers-under-test/', import.meta.url));

/** For example `releases/ignores-conflict`. */
export function nameOf({ controller, variant }: ControllerUnderTest): string {
  return `${controller}/${variant}`;
}

export function isCorrect(entry: ControllerUnderTest): boolean {
  return entry.expected === 'holds';
}

/** The properties of which at least one must catch a wrong variant. */
export function expectedProperties({ expected }: ControllerUnderTest): readonly string[] {
  return typeof expected === 'string' ? [] : expected;
}

/** The controllers that run inside the harness: all, or those whose name contains one of the given texts. */
export function selected(only: readonly string[]): readonly ControllerUnderTest[] {
  return matching(only).filter(({ module }) => module !== undefined);
}

/** The controllers that run as processes, in the given language: all, or those whose name contains one of the given texts. */
export function selectedIn(language: string, only: readonly string[]): readonly ControllerUnderTest[] {
  return matching(only).filter((entry) => entry.language === language);
}

function matching(only: readonly string[]): readonly ControllerUnderTest[] {
  return controllers.filter((entry) => only.length === 0 || only.some((text) => nameOf(entry).includes(text)));
}

/**
 * Returns the entries unchanged, and refuses an empty selection: a check of nothing would always pass.
 *
 * @throws {USAGE} if it is empty.
 */
export function some(entries: readonly ControllerUnderTest[], only: readonly string[]): readonly ControllerUnderTest[] {
  if (entries.length > 0) return entries;
  const names = controllers.map(nameOf).join(', ');
  throw new HarnessError('USAGE', `got --only "${only.join('", "')}", expected part of a name that fits: ${names}`);
}

/** The module of a controller that runs inside the harness, relative to the folder of all controllers. */
export function moduleOf(entry: ControllerUnderTest): string {
  if (entry.module !== undefined) return entry.module;
  throw new HarnessError('CONFIG_INVALID', `got "${nameOf(entry)}", expected a controller with a module`);
}

/**
 * The options of a campaign against one entry.
 *
 * @throws {TARGET_INVALID} if a process has not been built.
 */
export function optionsFor(entry: ControllerUnderTest, more: StalemateOptions = {}): StalemateOptions {
  return {
    ...(entry.language === undefined ? { target: ROOT + moduleOf(entry) } : processOptions(entry, entry.language)),
    crds: entry.crds.map((file) => ROOT + file),
    samples: [ROOT + entry.sample],
    // One variant elects no leader, which must be found.
    ...(entry.leaderElection === true ? { leaderElection: true, replicas: 2 as const } : {}),
    ...(entry.effects === true ? { effects: true } : {}),
    ...more,
  };
}

function processOptions(
  { command = [], env = {}, ...entry }: ControllerUnderTest,
  language: string,
): Pick<StalemateOptions, 'command' | 'directory' | 'env'> {
  const built = builtFolder(language);
  if (!existsSync(built)) {
    throw new HarnessError(
      'TARGET_INVALID',
      `"${nameOf(entry)}" is not built, expected "${built}"; run "node scripts/controllers.ts build ${language}"`,
    );
  }
  const sources = sourcesFolder(language);
  const filled = (text: string): string => text.replaceAll('{built}', built).replaceAll('{sources}', sources);
  return {
    command: command.map(filled),
    directory: sources,
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)])),
  };
}
