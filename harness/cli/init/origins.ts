/**
 * Finds the CRDs of another project's kinds in the Go module that contains their types.
 *
 * Owns: asking the `go` tool which packages are linked and where their modules are; choosing the module with the CRDs (the one with the
 * types or, if the API is a nested module, the enclosing one at the same version). Start at {@link originsOf}.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRecord } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { readFileText } from '../../report/read-files.ts';
import { findDefinitions, groupOf } from './definitions.ts';
import { readRepository } from './repository.ts';

export interface Module {
  readonly path: string;
  readonly version: string;
  /** The module's folder; empty if it was not downloaded. */
  readonly folder: string;
}

/** Files in which API packages register their group. */
const REGISTERS = /^(?:groupversion_info|register|doc|types|.*_types|zz_generated.*|[\w]*groupversion[\w]*)\.go$/;
const FILE_BYTES_MAX = 1024 * 1024;
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;
/** Kubernetes' own clients and tools, which declare no kinds of other projects. */
const IGNORED_MODULES = /^(?:k8s\.io|golang\.org|google\.golang\.org|sigs\.k8s\.io\/controller-runtime)\//;

/**
 * Returns the module with the types of each group.
 *
 * @param main - The program's package, such as `./cmd`.
 */
export function originsOf(groups: readonly string[], main: string, cwd: string): ReadonlyMap<string, Module> {
  const origins = new Map<string, Module>();
  for (const { module, folder } of linkedPackages(main, cwd)) {
    if (IGNORED_MODULES.test(`${module.path}/`)) continue;
    const wanted = groups.filter((group) => !origins.has(group));
    if (wanted.length === 0) break;
    const text = registeringText(folder);
    for (const group of wanted)
      if (text.includes(`"${group}"`) || text.includes(`+groupName=${group}\n`)) origins.set(group, module);
  }
  return origins;
}

interface LinkedPackage {
  readonly folder: string;
  readonly module: Module;
}

const LISTED = '{{with .Module}}{{if .Version}}{{$.Dir}}\t{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}';

function linkedPackages(main: string, cwd: string): readonly LinkedPackage[] {
  const { status, stdout } = spawnSync('go', ['list', '-deps', '-f', LISTED, main], {
    cwd,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  if (status !== 0) return [];
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [folder = '', path = '', version = '', at = ''] = line.split('\t');
      return { folder, module: { path, version, folder: at } };
    });
}

function registeringText(folder: string): string {
  try {
    return readdirSync(folder)
      .filter((file) => REGISTERS.test(file))
      .map((file) => textOf(join(folder, file)))
      .join('\n');
  } catch {
    return '';
  }
}

function textOf(file: string): string {
  try {
    return readFileText(file, FILE_BYTES_MAX);
  } catch {
    return '';
  }
}

/** The CRDs of a module. */
export interface ModuleCrds {
  readonly module: Module;
  readonly crds: readonly KubeObject[];
}

/**
 * Returns the CRDs of a group, from the module of its types or an enclosing module at the same version. Downloads missing
 * modules with `go mod download`. Returns undefined if no module contains any.
 */
export function definitionsOf(group: string, origin: Module): ModuleCrds | undefined {
  for (const module of [origin, ...modulesAround(origin)]) {
    const folder = module.folder === '' ? downloaded(module) : module.folder;
    if (folder === undefined) continue;
    const { crds } = findDefinitions(readRepository(folder));
    const own = crds.filter((crd) => groupOf(crd) === group);
    if (own.length > 0) return { module, crds: own };
  }
  return undefined;
}

/**
 * Returns the enclosing modules at the same version: for `example.com/op/api` at v1.1.0, `example.com/op`. From v2 on, each is
 * listed with and without the suffix of the major version.
 */
export function modulesAround({ path, version }: Module): readonly Module[] {
  const [major = ''] = version.split('.');
  const suffix = /^v(?:[2-9]|\d\d+)$/.test(major) ? `/${major}` : '';
  const parts = path.replace(/\/v\d+$/, '').split('/');
  const around: Module[] = [];
  for (let length = parts.length; length >= PATH_PARTS_MIN; length--) {
    const shorter = parts.slice(0, length).join('/');
    for (const candidate of new Set([`${shorter}${suffix}`, shorter]))
      if (candidate !== path) around.push({ path: candidate, version, folder: '' });
  }
  return around;
}

/** Minimum number of parts of a module path: a host and a project. */
const PATH_PARTS_MIN = 2;

function downloaded({ path, version }: Module): string | undefined {
  // Runs the command outside of the project, because its go.mod need not require this module.
  const cwd = mkdtempSync(join(tmpdir(), 'stalemate-origin-'));
  try {
    const { stdout } = spawnSync('go', ['mod', 'download', '-json', `${path}@${version}`], {
      cwd,
      encoding: 'utf8',
      maxBuffer: OUTPUT_BYTES_MAX,
      timeout: DOWNLOAD_MS,
    });
    const answer: unknown = JSON.parse(stdout);
    return isRecord(answer) && typeof answer['Dir'] === 'string' && answer['Error'] === undefined
      ? answer['Dir']
      : undefined;
  } catch {
    return undefined;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

const DOWNLOAD_MS = 60_000;
