/**
 * Chooses the faults of a campaign: what the options switch on and off, and what this target and this machine permit.
 *
 * Connection faults are off by default, because they make clients wait in real time; without a toxiproxy server they are left out with a
 * warning. Start at {@link chosenFaults}.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { missingToxiproxyText } from 'stalemate-apiserver/control-plane/binaries';
import { findToxiproxy } from '../../clusters/control-plane.ts';
import { CONNECTION_KINDS, type Link } from '../../model/connection-fault.ts';
import type { ClusterKind } from '../../model/cluster.ts';
import { HarnessError } from '../../model/errors.ts';
import { CONNECTION, DEFAULT_FAULT_KINDS, FAULT_KINDS } from '../../model/fault-kinds.ts';
import { isConnectionFault, type FaultKind, type Schedule } from '../../model/schedule.ts';
import { meantText } from '../../model/similar.ts';
import { configInvalid } from '../config-invalid.ts';

export interface FaultCircumstances {
  readonly cwd: string;
  /** Whether the target runs as a process, in real time. */
  readonly isProcess: boolean;
  /** Whether the target is started by a command, as opposed to a module on a real cluster. */
  readonly isCommand: boolean;
  readonly replicasMax: 1 | 2;
}

export interface ChosenFaults {
  readonly faults: readonly FaultKind[];
  /** Absolute path of the toxiproxy server to start; `null` if there are no connection faults. */
  readonly toxiproxy: string | null;
  readonly warnings: readonly string[];
}

interface FaultOptions {
  readonly faults?: { readonly [name: string]: boolean | undefined };
  readonly toxiproxy?: string;
}

/**
 * Returns the faults of a campaign.
 *
 * @throws {CONFIG_INVALID} for unknown names, and for faults that can never apply.
 */
export function chosenFaults(options: FaultOptions, circumstances: FaultCircumstances): ChosenFaults {
  const { isProcess, isCommand, replicasMax } = circumstances;
  const { [CONNECTION]: allConnections, ...single } = options.faults ?? {};
  const switches = { ...(allConnections === undefined ? {} : allOf(allConnections)), ...single };
  const wanted = switchedOn(switches, FAULT_KINDS, 'faults', DEFAULT_FAULT_KINDS, [CONNECTION]).filter(
    (kind) =>
      (kind !== 'start-replica' || replicasMax === 2) &&
      (kind !== 'pause' || isCommand) &&
      // For a module, delays have to be switched on.
      (kind !== 'delay' || isCommand || switches['delay'] === true),
  );
  const named = toxiproxyNamed(options.toxiproxy, circumstances.cwd);
  const connection = wanted.filter(isConnectionKind);
  if (connection.length === 0) return { faults: wanted, toxiproxy: null, warnings: [] };
  if (!isProcess) {
    throw configInvalid(
      `got faults of connections (${connection.join(', ')}) for a target that is a module in virtual time, which has no connections, expected a command (-- COMMAND ARGS); or add --cluster envtest, where a module runs as a program`,
    );
  }
  const toxiproxy = named ?? findToxiproxy();
  if (toxiproxy !== undefined) return { faults: wanted, toxiproxy, warnings: [] };
  return {
    faults: wanted.filter((kind) => !isConnectionKind(kind)),
    toxiproxy: null,
    warnings: [`these faults are skipped: ${connection.join(', ')}: ${missingToxiproxyText()}`],
  };
}

/** The circumstances in which a stored schedule is replayed. */
export interface ReplayCircumstances {
  readonly cluster: ClusterKind;
  /** Whether the target is started as a process. */
  readonly isProcess: boolean;
}

/** Returns why the schedule's connection faults cannot be applied here; undefined if they can. */
export function undisturbable({ faults }: Schedule, { cluster, isProcess }: ReplayCircumstances): string | undefined {
  const needed = faults.filter(isConnectionFault);
  const missing = needed.find(({ link }) => !linksOf(cluster).includes(link));
  if (missing !== undefined)
    return `its schedule disturbs connections between the gate and the API server (${missing.do}), which ${cluster} has none of, expected envtest or kind; add --cluster envtest`;
  return isProcess || needed.length === 0
    ? undefined
    : `its schedule disturbs connections (${kindsOf(needed)}), and a module in virtual time has none, expected it to run as a program; add --cluster envtest`;
}

/**
 * Returns the toxiproxy server that a stored schedule needs; `null` if it needs none.
 *
 * @throws {CLUSTER_UNAVAILABLE} if that server is missing, or a connection fault of the schedule cannot be applied here.
 */
export function toxiproxyFor(
  schedule: Schedule,
  { toxiproxy, cwd, ...circumstances }: ReplayCircumstances & { readonly toxiproxy?: string; readonly cwd: string },
): string | null {
  const named = toxiproxyNamed(toxiproxy, cwd);
  const needed = schedule.faults.filter(isConnectionFault);
  if (needed.length === 0) return null;
  const why = undisturbable(schedule, circumstances);
  if (why !== undefined) throw new HarnessError('CLUSTER_UNAVAILABLE', why);
  const found = named ?? findToxiproxy();
  if (found !== undefined) return found;
  throw new HarnessError(
    'CLUSTER_UNAVAILABLE',
    `its schedule disturbs connections (${kindsOf(needed)}): ${missingToxiproxyText()}`,
  );
}

function kindsOf(faults: readonly { readonly do: FaultKind }[]): string {
  return [...new Set(faults.map((fault) => fault.do))].join(', ');
}

/** Returns the links that can be disturbed. The embedded server is in the gate's own process; an existing cluster must be left alone. */
export function linksOf(cluster: ClusterKind): readonly Link[] {
  return cluster === 'envtest' || cluster === 'kind' ? ['target', 'cluster'] : ['target'];
}

function toxiproxyNamed(path: string | undefined, cwd: string): string | undefined {
  if (path === undefined) return undefined;
  const absolute = resolve(cwd, path);
  if (existsSync(absolute)) return absolute;
  throw configInvalid(
    `got toxiproxy "${path}", which does not exist, expected the path of a toxiproxy-server binary; correct it, or leave it out to let stalemate look for one`,
  );
}

function allOf(on: boolean): { readonly [name: string]: boolean } {
  return Object.fromEntries(CONNECTION_KINDS.map((kind) => [kind, on]));
}

function isConnectionKind(kind: FaultKind): boolean {
  return CONNECTION_KINDS.some((one) => one === kind);
}

/** Returns the names that are on: the defaults that are not switched off, and the names that are switched on. */
export function switchedOn<T extends string>(
  switches: { readonly [name: string]: boolean | undefined } | undefined,
  known: readonly T[],
  field: string,
  byDefault: readonly T[] = known,
  groups: readonly string[] = [],
): readonly T[] {
  for (const name of Object.keys(switches ?? {})) {
    if (!known.includes(name as T)) {
      const names = [...known, ...groups];
      throw configInvalid(`"${field}" has "${name}", expected one of ${names.join(', ')}${meantText(name, names)}`);
    }
  }
  return known.filter((name) => switches?.[name] ?? byDefault.includes(name));
}
