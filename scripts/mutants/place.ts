/**
 * Puts mutants where they can run: modules into a folder of the clone, programs into builds in the user's cache folder.
 *
 * A mutant that is a module is a copy of its controller with one changed file. All mutants of a compiled language are one build
 * (`schemata.ts`), and an environment variable selects one.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HarnessError, type StalemateOptions } from '../../harness/index.ts';
import { controllers, type ControllerUnderTest, optionsFor } from '../catalogue.ts';
import { builtFolder } from '../controllers/builds.ts';
import { type Mutant, ROOT } from './generate.ts';
import { schemataFolder, SELECTOR } from './schemata.ts';
import type { Source } from './sources.ts';

/**
 * The folder of modules. It is in the clone, so that modules can import its packages, but not in `node_modules`, where Node does not run
 * TypeScript.
 */
const MODULES = fileURLToPath(new URL('../../.stalemate/mutants/', import.meta.url));

/** The options of a campaign against a controller. */
export type Subject = StalemateOptions;

function correct({ controller }: Source): ControllerUnderTest {
  const entry = controllers.find((one) => one.controller === controller && one.variant === 'correct');
  if (entry === undefined) throw new HarnessError('CONFIG_INVALID', `the catalogue has no correct "${controller}"`);
  return entry;
}

/** Returns the options for the correct controller that mutants are compared with. */
export function original(source: Source): Subject {
  return optionsFor(correct(source));
}

/** Writes the files of a mutant, unless its build contains it, and returns the options to run it. */
export function placed({ id, source, file, text }: Mutant): Subject {
  const options = original(source);
  const { language } = source;
  if (language === 'go' || language === 'java' || language === 'rust') {
    const folder = schemataFolder(language);
    const moved = (word: string): string => word.replace(builtFolder(language), folder);
    return {
      ...options,
      command: (options.command as readonly string[]).map(moved),
      env: { ...options.env, [SELECTOR]: id },
    };
  }
  const folder = join(MODULES, id.replaceAll(/[^\w-]/g, '_'));
  rmSync(folder, { recursive: true, force: true });
  const parts = new Set([...source.files.map((name) => dirname(name)), ...source.beside]);
  for (const part of parts) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
  if (language === 'typescript')
    return { ...options, target: join(folder, source.controller, 'correct/controller.ts') };
  const moved = (word: string): string => word.replace(`${ROOT}python`, join(folder, 'python'));
  return {
    ...options,
    command: (options.command as readonly string[]).map(moved),
    directory: join(folder, 'python'),
    env: Object.fromEntries(Object.entries(options.env ?? {}).map(([name, value]) => [name, moved(value)])),
  };
}

export function removeModules(): void {
  rmSync(MODULES, { recursive: true, force: true });
}
