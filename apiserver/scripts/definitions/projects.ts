/**
 * The public projects whose definitions and samples are compared: pinned here, fetched from the Go module proxy, never committed.
 *
 * Owns: the list, the download with its checksum, and the cache of parsed documents. A module's archive contains the project's whole tree;
 * only the documents of its YAML files are kept. Start at {@link documentsOf}.
 */
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ApiServerError } from '../../objects/errors.ts';
import { userCache } from '../../fidelity/control-plane/binaries.ts';
import { documentsIn, usable, type Document } from './documents.ts';

export interface Project {
  readonly name: string;
  readonly module: string;
  readonly version: string;
  /** Go's checksum of the module's archive (`h1:…`). */
  readonly sum: string;
}

/** The format of the cache: a new number causes every project to be read again. */
const FORMAT = 1;
/** The maximum size of a file, bytes: larger files are not hand-written manifests. */
const FILE_BYTES_MAX = 6_000_000;
const DOWNLOAD_TIMEOUT_MS = 300_000;

const LIST = fileURLToPath(new URL('projects.json', import.meta.url));

export function readProjects(): readonly Project[] {
  return JSON.parse(readFileSync(LIST, 'utf8')) as readonly Project[];
}

/**
 * Returns the manifests of a project, each once; downloads them unless they are cached.
 *
 * @throws {ApiServerError} when the proxy does not serve the module, or its checksum differs from the pinned one.
 */
export async function documentsOf(project: Project): Promise<readonly Document[]> {
  const file = join(join(userCache(), 'definitions'), `${project.name}-${project.version}-${FORMAT}.jsonl`);
  if (!existsSync(file)) await fetchInto(file, project);
  const lines = readFileSync(file, 'utf8').split('\n');
  return usable(lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Document));
}

async function fetchInto(file: string, project: Project): Promise<void> {
  const cache = join(userCache(), 'definitions');
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, '.fetch-'));
  try {
    const documents = documentsIn(yamlFiles(await downloaded(project, work)));
    const lines = join(work, 'documents');
    writeFileSync(lines, documents.map((one) => `${JSON.stringify(one)}\n`).join(''));
    renameSync(lines, file);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Returns the folder of a module, in a temporary module cache that is deleted afterwards. */
async function downloaded({ name, module, version, sum }: Project, work: string): Promise<string> {
  const wanted = `${module}@${version}`;
  let answer: { readonly Dir?: string; readonly Sum?: string; readonly Error?: string };
  try {
    // The checksum is pinned here: the checksum database is not needed.
    const env = { ...process.env, GOMODCACHE: work, GOFLAGS: '-modcacherw', GONOSUMDB: '*' };
    const options = { env, cwd: work, timeout: DOWNLOAD_TIMEOUT_MS, maxBuffer: 1 << 24 };
    answer = JSON.parse(
      (await promisify(execFile)('go', ['mod', 'download', '-json', wanted], options)).stdout,
    ) as typeof answer;
  } catch (error) {
    const { stdout = '', message } = error as Error & { readonly stdout?: string };
    const told = /"Error": "(.*)"/.exec(stdout)?.[1] ?? message;
    throw new ApiServerError(
      'CLUSTER_UNAVAILABLE',
      `could not fetch ${name} (${wanted}): ${told}\nneeds Go and a module proxy that serves this version`,
    );
  }
  if (answer.Sum !== sum)
    throw new ApiServerError(
      'CLUSTER_UNAVAILABLE',
      `${wanted} has the checksum ${answer.Sum ?? 'none'}, expected ${sum} (apiserver/scripts/definitions/projects.json)`,
    );
  return answer.Dir ?? work;
}

function yamlFiles(root: string): readonly { readonly file: string; readonly text: string }[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).size <= FILE_BYTES_MAX)
    .sort()
    .map((path) => ({ file: relative(root, path), text: readFileSync(path, 'utf8') }));
}
