/**
 * Replays a corpus on the current target, from outside the worker.
 *
 * Owns: which entries share a worker, the reaction to a lost worker, the outcome of an entry. Does not own: the folder (`cli/corpus/`), the
 * runs themselves (`worker/revisit-job.ts`). The target is always that of the configuration, never one named in a file.
 */
import { realMoment, realNow } from '../../determinism/real-time.ts';
import { signatureText } from '../../model/signature.ts';
import { withCause } from '../../oracle/cause.ts';
import { counterexampleOfEntry, notReached, type NamedEntry, type Revisited } from '../../model/corpus.ts';
import type { Counterexample } from '../../model/counterexample.ts';
import { HarnessError } from '../../model/errors.ts';
import { given } from '../../model/given.ts';
import { waivableOf, waiverFor } from '../../model/waiver.ts';
import { restoreCounterexample } from '../../report/redaction/index.ts';
import { Vault } from '../../report/redaction/vault.ts';
import { isAbout, subjectOf } from '../search/counterexample.ts';
import type { Property } from '../../oracle/property.ts';
import { emptyHistory } from '../run/empty-history.ts';
import { lostInReference, lostWorkerViolation, workerError, type LostWorker } from '../worker/lost-worker.ts';
import type { Replayed, RevisitJob } from '../worker/protocol.ts';
import type { Subject } from '../subject.ts';
import { toxiproxyFor } from '../config/chosen-faults.ts';
import type { RunConfig } from '../config/run-config.ts';
import { superviseWorker } from '../worker/supervisor.ts';
import { CUT_SHARE, isOfRounds, settleWindowOf } from './replay.ts';

export interface RevisitOptions {
  /** The module that a worker thread runs. */
  readonly workerEntry: URL;
  readonly signal?: AbortSignal;
  /** Limit for all entries, in ms of real time; entries that are not reached are reported as such. */
  readonly timeMs: number;
  /** The number of times an entry is run before it counts as holding; 1 is enough for a deterministic target. */
  readonly times: number;
  /** Makes all runs of an entry, also after one has failed; default false. */
  readonly counts?: boolean;
  /** An entry gets an equal share of the remaining time, but at least this, in ms; default no limit but that of all entries. */
  readonly leastMs?: number;
  /** The known properties. */
  readonly properties: readonly Property[];
  /** Called as soon as an entry has been run. */
  readonly onRevisited?: (revisited: Revisited) => void;
}

/** The real time in ms after which a worker that has not ended by itself is stopped. */
const STOP_MS = 1_000;

interface Prepared extends NamedEntry {
  readonly counterexample: Counterexample;
  /** Path of the toxiproxy server that the entry's schedule needs; `null` if it needs none. */
  readonly toxiproxy: string | null;
}

/** Replays entries. Returns the results in the order of the entries. */
export async function revisitCorpus(
  entries: readonly NamedEntry[],
  config: RunConfig,
  options: RevisitOptions,
): Promise<readonly Revisited[]> {
  const deadline = realNow() + options.timeMs;
  const vault = new Vault();
  const done = new Map<string, Revisited>();
  const finish = (found: Revisited): void => {
    const revisited = withWaiver(found, config);
    done.set(revisited.name, revisited);
    options.onRevisited?.(revisited);
  };
  const mine: Prepared[] = [];
  for (const named of entries) {
    if (!isAbout(named.entry.target, config)) {
      finish({ ...named, outcome: 'other-target', k: 0, n: 0, missed: [] });
      continue;
    }
    // Not limited to the faults that the run enables: without its own fault, the entry would always hold.
    const toxiproxy = toxiproxyOf(named, config);
    if (toxiproxy instanceof HarnessError) {
      finish(unclear(named, toxiproxy.message));
      continue;
    }
    const today = { crds: config.crds, ...(config.project === null ? {} : { project: config.project }) };
    mine.push({
      ...named,
      toxiproxy,
      counterexample: restoreCounterexample(counterexampleOfEntry(named.entry, today), vault).value,
    });
  }
  for (const group of groupsOf(mine, options.properties)) {
    let left = group;
    while (left.length > 0 && realNow() < deadline && options.signal?.aborted !== true) {
      left = await revisitGroup(left, config, { ...options, timeMs: deadline - realNow() }, finish);
    }
  }
  return entries.map((named) => done.get(named.name) ?? notReached(named));
}

function toxiproxyOf({ entry }: NamedEntry, config: RunConfig): string | null | HarnessError {
  const { cluster, toxiproxy, process: started } = config;
  const named = toxiproxy === null ? {} : { toxiproxy };
  try {
    return toxiproxyFor(entry.schedule, { cluster, isProcess: started !== null, cwd: '', ...named });
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
}

function withWaiver(revisited: Revisited, { waivers }: RunConfig): Revisited {
  const { violation, history, entry } = revisited;
  if (violation === undefined || waivers.length === 0) return revisited;
  const waiver = waiverFor(waivers, waivableOf(violation, history ?? emptyHistory(''), entry.workload));
  return waiver === undefined ? revisited : { ...revisited, waiver };
}

/** Groups entries with the same objects and settings, which share references. */
function groupsOf(entries: readonly Prepared[], properties: readonly Property[]): readonly (readonly Prepared[])[] {
  const groups = new Map<string, Prepared[]>();
  for (const one of entries) {
    const { workload, namespace, config, signature } = one.counterexample;
    const key = JSON.stringify([workload.sample, namespace, config, isOfRounds(signature, properties)]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

/** Runs a group on one worker. Returns the entries that remain because the worker was lost. */
async function revisitGroup(
  group: readonly Prepared[],
  config: RunConfig,
  options: RevisitOptions,
  finish: (revisited: Revisited) => void,
): Promise<readonly Prepared[]> {
  const left = new Map(group.map((one) => [one.name, one]));
  let phase = 'load';
  const end = await superviseWorker({
    entry: options.workerEntry,
    job: jobOf(group, config, options),
    signal: options.signal,
    until: realNow() + options.timeMs + STOP_MS,
    listen: (message) => {
      if (message.say === 'phase') phase = message.phase;
      if (message.say !== 'revisited') return;
      const one = left.get(message.name);
      if (one === undefined) return;
      left.delete(message.name);
      finish(
        message.replayed === null
          ? unclear(one, message.problem ?? 'it could not be run')
          : revisitedOf(one, message.replayed),
      );
    },
  });
  if (end.error !== undefined) throw workerError(end.error, end.output);
  if (end.end === 'finished' || end.end === 'overdue') return [];
  if (phase !== 'corpus') throw lostInReference(end, phase);
  const [culprit, ...rest] = left.values();
  if (culprit !== undefined) finish(lost(culprit, end));
  return rest;
}

function jobOf(
  group: readonly Prepared[],
  config: RunConfig,
  {
    timeMs,
    times,
    counts = false,
    leastMs = Number.MAX_SAFE_INTEGER,
    properties,
  }: Pick<RevisitOptions, 'timeMs' | 'times' | 'counts' | 'leastMs' | 'properties'>,
): RevisitJob {
  const subject = subjectOf(config);
  return {
    job: 'revisit',
    subject: {
      ...subject,
      ...ownOf(group, subject, properties),
      toxiproxy: group.find((one) => one.toxiproxy !== null)?.toxiproxy ?? config.toxiproxy,
      // Not limited to the properties selected for the campaign: an entry is judged by its own property.
      properties: [...new Set(group.map(({ entry }) => entry.signature.property))],
    },
    entries: group.map(({ name, counterexample: { workload, schedule, signature } }) => ({
      name,
      trial: { workload, schedule },
      signature: signatureText(signature),
      property: signature.property,
    })),
    times,
    counts,
    until: realMoment() + timeMs * (counts ? CUT_SHARE : 1),
    leastMs,
  };
}

/** Returns the parts of the subject that the entries of a group store, taken from the first entry. */
function ownOf([first]: readonly Prepared[], subject: Subject, properties: readonly Property[]): Partial<Subject> {
  if (first === undefined) return {};
  const { workload, namespace, config, signature } = first.counterexample;
  const ofRounds = isOfRounds(signature, properties);
  const settleWindowMs = settleWindowOf(first.counterexample, subject.cluster, ofRounds);
  return { samples: workload.sample, namespace, settings: { ...config, settleWindowMs } };
}

function revisitedOf({ name, entry }: Prepared, replayed: Replayed): Revisited {
  const { k, n, missed, history, violations, inconclusive, diverged, reanchored, server } = replayed;
  const wanted = signatureText(entry.signature);
  const violation = violations.find(
    ({ severity, signature }) => severity === 'error' && signatureText(signature) === wanted,
  );
  const ran = { name, entry, k, n, missed, history, ...given({ server: server ?? undefined }) };
  if (violation !== undefined && k > 0) {
    const because = withCause(history, violation, entry.cause);
    return { ...ran, outcome: 'fails', violation: because, ...(reanchored === null ? {} : { reanchored }) };
  }
  const other = violations.find(({ severity }) => severity === 'error');
  if (other !== undefined) return { ...ran, outcome: 'fails-otherwise', violation: other, detail: other.sentence };
  const reason = inconclusive ?? (diverged === null ? undefined : `two runs of the same schedule differ: ${diverged}`);
  if (reason !== undefined) return { ...ran, outcome: 'unclear', detail: reason };
  return { ...ran, outcome: missed.length > 0 ? 'stale' : 'holds' };
}

function unclear({ name, entry }: NamedEntry, detail: string): Revisited {
  return { name, entry, outcome: 'unclear', k: 0, n: 0, missed: [], detail };
}

/** Returns the result of the entry that was running when the worker was lost: `fails` if it is about this loss, else `fails-otherwise`. */
function lost(one: Prepared, end: LostWorker): Revisited {
  const violation = lostWorkerViolation(end, '');
  const isSame = signatureText(violation.signature) === signatureText(one.entry.signature);
  const { name, entry } = one;
  return {
    name,
    entry,
    outcome: isSame ? 'fails' : 'fails-otherwise',
    k: isSame ? 1 : 0,
    n: 1,
    missed: [],
    violation,
    detail: violation.sentence,
  };
}
