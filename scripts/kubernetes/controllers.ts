/**
 * The released kube-controller-manager, one controller at a time: the program, its flags, and the sample.
 *
 * Owns: the list (`controllers-under-test/kubernetes/controllers.json`), and the keys and certificates that some controllers need. Start at
 * {@link optionsOf}.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram, KUBERNETES_VERSION } from 'stalemate-apiserver/control-plane/binaries';
import type { StalemateOptions } from '../../harness/index.ts';
import { HarnessError } from '../../harness/model/errors.ts';
import { cacheFolder } from '../cache-folder.ts';
import { build, buildRelease } from '../control-plane/build.ts';

export const FOLDER: string = fileURLToPath(new URL('../../controllers-under-test/kubernetes/', import.meta.url));

export interface Controller {
  /** As in `--controllers`; `*` for all that are enabled by default. */
  readonly name: string;
  /** Below `controllers-under-test/kubernetes/samples`. */
  readonly sample: string;
  /** Additional flags; `{pki}` is replaced by a folder with a certificate authority and a key for tokens. */
  readonly args?: readonly string[];
  readonly environment?: NonNullable<StalemateOptions['environment']>;
  readonly garbageCollection?: false;
  readonly namespaceController?: false;
}

export interface ControllerList {
  readonly version: 1;
  readonly releases: { readonly before: string; readonly since: string };
  /** The feature gates of KEP-5647, which are enabled by default in releases that have them. */
  readonly gates: readonly string[];
  readonly command: readonly string[];
  readonly controllers: readonly Controller[];
  /** The ReplicaSet sample of the search for the known bug. */
  readonly huntSample: string;
}

/** A release, and its feature gates of KEP-5647: `none` (it has none), `on` (their default) or `off` (disabled). */
export interface Position {
  readonly release: string;
  readonly gates: 'none' | 'on' | 'off';
}

export function readList(): ControllerList {
  return JSON.parse(readFileSync(join(FOLDER, 'controllers.json'), 'utf8')) as ControllerList;
}

/** The three positions that separate the effect of KEP-5647 from other changes of a release. */
export function positionsOf({ releases }: ControllerList): readonly Position[] {
  return [
    { release: releases.before, gates: 'none' },
    { release: releases.since, gates: 'on' },
    { release: releases.since, gates: 'off' },
  ];
}

export function positionText({ release, gates }: Position): string {
  return gates === 'none' ? `${release}, which has no such gates` : `${release} with its gates ${gates}`;
}

/** @throws {HarnessError} for a name that is not in the list. */
export function controllersNamed({ controllers }: ControllerList, names: readonly string[]): readonly Controller[] {
  if (names.length === 0) return controllers;
  return names.map((name) => {
    const found = controllers.find((one) => one.name === name || one.name === `${name}-controller`);
    if (found !== undefined) return found;
    throw new HarnessError(
      'USAGE',
      `got "${name}", expected names of controllers-under-test/kubernetes/controllers.json`,
    );
  });
}

/** Builds a release unless that was done before, and returns the path of its kube-controller-manager. */
export async function managerOf(release: string): Promise<string> {
  if (release !== KUBERNETES_VERSION) return buildRelease('kube-controller-manager', release);
  await build(['kube-controller-manager']);
  return findProgram('kube-controller-manager') ?? '';
}

/** Returns the options of a campaign against one controller. */
export function optionsOf(
  list: ControllerList,
  controller: Controller,
  { gates }: Position,
  manager: string,
): StalemateOptions {
  const { name, sample, args = [], environment, garbageCollection, namespaceController } = controller;
  const switches = gates === 'off' ? [`--feature-gates=${list.gates.map((gate) => `${gate}=false`).join(',')}`] : [];
  const filled = (word: string): string =>
    word
      .replace('{built}', manager)
      .replace('{controllers}', name)
      .replace('{pki}', () => pkiFolder());
  return {
    command: [...list.command, ...args, ...switches].map(filled),
    samples: [join(FOLDER, 'samples', sample)],
    ...(environment === undefined ? {} : { environment }),
    ...(garbageCollection === undefined ? {} : { garbageCollection }),
    ...(namespaceController === undefined ? {} : { namespaceController }),
  };
}

/** Returns a folder with a certificate authority (`ca.crt`, `ca.key`) and a key for tokens (`sa.key`), created once per machine. */
function pkiFolder(): string {
  const folder = cacheFolder('kubernetes', 'pki');
  if (existsSync(folder)) return folder;
  const parent = cacheFolder('kubernetes');
  mkdirSync(parent, { recursive: true });
  const made = mkdtempSync(join(parent, '.pki-'));
  try {
    const openssl = (...args: readonly string[]): void => {
      execFileSync('openssl', args, { cwd: made, stdio: 'ignore' });
    };
    openssl('genrsa', '-out', 'sa.key', '2048');
    openssl('genrsa', '-out', 'ca.key', '2048');
    openssl('req', '-x509', '-new', '-key', 'ca.key', '-days', '36500', '-subj', '/CN=stalemate', '-out', 'ca.crt');
    renameSync(made, folder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return folder;
}
