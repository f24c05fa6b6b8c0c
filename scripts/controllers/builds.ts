/**
 * Builds of the controllers under test in other languages, kept in the user's cache folder.
 *
 * A build is named by the hash of its sources, so that changed sources never use an old binary, and two checkouts do not affect each other.
 * It is made in a temporary folder and renamed into place, so that a build folder is always complete. Start at {@link buildLanguage}.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HarnessError } from '../../harness/index.ts';
import { cacheFolder } from '../cache-folder.ts';
import { hashInto } from '../languages/controllers.ts';
import { TOOLCHAINS, type Toolchain } from './toolchains.ts';

const CACHE = cacheFolder('controllers');
/** A new build removes builds that were not used for this long. */
const KEEP_MS = 14 * 24 * 60 * 60_000;

export const LANGUAGES: readonly string[] = Object.keys(TOOLCHAINS).toSorted();

/** The folder of a language's controllers. */
export function sourcesFolder(language: string): string {
  return fileURLToPath(new URL(`../../controllers-under-test/${language}`, import.meta.url));
}

/** Whether this checkout has controllers of this language. */
export function hasSources(language: string): boolean {
  return existsSync(sourcesFolder(language));
}

/** The folder of the build of the current sources, which may not exist yet. */
export function builtFolder(language: string): string {
  const sources = sourcesFolder(language);
  const hash = createHash('sha256');
  for (const part of toolchainOf(language).parts ?? compiledParts(sources)) {
    hash.update(part);
    hashInto(hash, join(sources, part));
  }
  return join(CACHE, `${language}-${hash.digest('hex').slice(0, 16)}`);
}

/** All sources except documents, manifests, and the output of a compiler that was run by hand. */
function compiledParts(sources: string): readonly string[] {
  return readdirSync(sources)
    .filter((name) => !/\.(?:md|yaml)$/.test(name) && name !== 'target')
    .toSorted();
}

/** Returns the program that is missing for a language, or undefined. */
export function missingProgram(language: string): string | undefined {
  const { needs } = toolchainOf(language);
  return spawnSync('which', [needs]).status === 0 ? undefined : needs;
}

/**
 * Builds the current sources of a language unless that was done before; returns whether it built them.
 *
 * @throws {StepFailed} with the end of the compiler's output.
 */
export async function buildLanguage(language: string): Promise<boolean> {
  for (;;) {
    const folder = builtFolder(language);
    const made = await buildInto(folder, language);
    // If the sources were edited during the build, the folder is named after the old ones.
    if (builtFolder(language) === folder) return made;
    if (made) rmSync(folder, { recursive: true, force: true });
  }
}

async function buildInto(folder: string, language: string): Promise<boolean> {
  const toolchain = toolchainOf(language);
  if (existsSync(folder)) {
    const now = new Date();
    utimesSync(folder, now, now);
    return false;
  }
  const scratch = join(CACHE, `${language}-scratch`);
  mkdirSync(scratch, { recursive: true });
  const out = mkdtempSync(join(CACHE, `.${language}-`));
  try {
    await toolchain.build({ sources: sourcesFolder(language), out, scratch, log: `${out}.log` });
    place(out, folder);
  } finally {
    rmSync(out, { recursive: true, force: true });
    rmSync(`${out}.log`, { force: true });
  }
  removeOld(language);
  return true;
}

/** Another process may have built the same sources in the meantime. */
function place(out: string, folder: string): void {
  try {
    renameSync(out, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

function removeOld(language: string): void {
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    const isBuild = name.startsWith(`${language}-`) && name !== `${language}-scratch`;
    if (isBuild && statSync(path).mtimeMs < Date.now() - KEEP_MS) rmSync(path, { recursive: true, force: true });
  }
}

function toolchainOf(language: string): Toolchain {
  const toolchain = TOOLCHAINS[language];
  if (toolchain !== undefined) return toolchain;
  throw new HarnessError('CONFIG_INVALID', `got language "${language}", expected one of ${LANGUAGES.join(', ')}`);
}
