/**
 * The clusters that a user has allowed permanently: `$XDG_CONFIG_HOME/stalemate/clusters.json`, else `~/.config/…`.
 *
 * Owns: that file. Nothing in a project can write it or replace it. Start at {@link allowedClusters}.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isRecord } from 'stalemate-apiserver/objects/json';
import { HarnessError } from '../../model/errors.ts';
import { writeWhole } from '../../report/write-files.ts';

/** A cluster allowed by the uid of its namespace kube-system; the other fields are for people who read the file. */
export interface AllowedCluster {
  readonly uid: string;
  readonly context: string;
  readonly server: string;
}

export interface AllowedClusters {
  /** Names of contexts, whichever cluster they point to. */
  readonly contexts: readonly string[];
  readonly clusters: readonly AllowedCluster[];
}

const VERSION = 1;
const PRIVATE = 0o600;

/** Returns the path of the file. */
export function allowedClustersFile(): string {
  return join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'stalemate', 'clusters.json');
}

/** @throws {CONFIG_INVALID} if the file exists but is malformed, since it is then unknown what was allowed. */
export function allowedClusters(file: string = allowedClustersFile()): AllowedClusters {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { contexts: [], clusters: [] };
    throw invalid(file, `could not be read (${code})`);
  }
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw invalid(file, 'is no JSON');
  }
  if (!isRecord(document) || document['version'] !== VERSION) throw invalid(file, `is not of version ${VERSION}`);
  const { contexts = [], clusters = [] } = document;
  if (!Array.isArray(contexts) || !contexts.every((one) => typeof one === 'string'))
    throw invalid(file, 'has contexts that are no list of names');
  if (!Array.isArray(clusters) || !clusters.every(isCluster))
    throw invalid(file, 'has clusters that are no list of maps with a uid');
  return {
    contexts,
    clusters: clusters.map(({ uid, context = '', server = '' }) => ({ uid, context, server })),
  };
}

/** @throws {CONFIG_INVALID} {OUTPUT_FAILED} if the file cannot be read or written. */
export function allowCluster(cluster: AllowedCluster, file: string = allowedClustersFile()): void {
  const { contexts, clusters } = allowedClusters(file);
  const others = clusters.filter(({ uid }) => uid !== cluster.uid);
  const document = { version: VERSION, contexts, clusters: [...others, cluster] };
  writeWhole(file, `${JSON.stringify(document, null, 2)}\n`, PRIVATE, 'XDG_CONFIG_HOME');
}

function isCluster(one: unknown): one is Partial<AllowedCluster> & Pick<AllowedCluster, 'uid'> {
  return isRecord(one) && typeof one['uid'] === 'string' && one['uid'] !== '';
}

function invalid(file: string, problem: string): HarnessError {
  return new HarnessError(
    'CONFIG_INVALID',
    `"${file}" ${problem}, expected {"version": ${VERSION}, "contexts": ["NAME"], "clusters": [{"uid": "UID"}]}; correct it, or remove it and allow these clusters again`,
  );
}
