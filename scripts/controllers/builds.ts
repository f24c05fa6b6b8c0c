/**
 * Builds of the controllers under test in other languages, kept in the user's cache folder.
 *
 * A build is named by the hash of what it was made from, so that a changed source never meets an old binary, and two checkouts do not
 * disturb each other. It is made beside its place and renamed into it: what is there is whole. Start at {@link buildLanguage}.
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
/** Builds that nobody used for so long are removed when a new one is made. */
const KEEP_MS = 14 * 24 * 60 * 60_000;

export const LANGUAGES: readonly string[] = Object.keys(TOOLCHAINS).toSorted();

/** The folder of a language's controllers. */
export function sourcesFolder(language: string): string {
  return fileURLToPath(new URL(`../../controllers-under-test/${language}`, import.meta.url));
}

/** Whether the catalogue's controllers of this language exist in this checkout. */
export function hasSources(language: string): boolean {
  return existsSync(sourcesFolder(language));
}

/** Where the build of the present sources is, or will be. */
export function builtFolder(language: string): string {
  const sources = sourcesFolder(language);
  const hash = createHash('sha256');
  for (const part of toolchainOf(language).parts ?? compiledParts(sources)) {
    hash.update(part);
    hashInto(hash, join(sources, part));
  }
  return join(CACHE, `${language}-${hash.digest('hex').slice(0, 16)}`);
}

/** All but what no compiler reads, and what a compiler that was called by hand has left. */
function compiledParts(sources: string): readonly string[] {
  return readdirSync(sources)
    .filter((name) => !/\.(?:md|yaml)$/.test(name) && name !== 'target')
    .toSorted();
}

/** The program that is missing for a language, if one is. */
export function missingProgram(language: string): string | undefined {
  const { needs } = toolchainOf(language);
  return spawnSync('which', [needs]).status === 0 ? undefined : needs;
}

/**
 * Builds the present sources of a language unless that was done before; answers whether it had to.
 *
 * @throws {StepFailed} with the end of the compiler's output.
 */
export async function buildLanguage(language: string): Promise<boolean> {
  for (;;) {
    const folder = builtFolder(language);
    const made = await buildInto(folder, language);
    // Sources that were edited meanwhile are not what the folder is named by.
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

/** Somebody else may have built the same in the meantime. */
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
