/** Findings for report pages: real ones, one with hostile text everywhere, and one with 100,000 events. All are reproducible. */
import { readFileSync } from 'node:fs';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { decodeRecord, recheck, run } from '../../harness/index.ts';
import type { FindingStats } from '../../harness/index.ts';
import type { StoryInput } from '../../harness/report/story.ts';
import { deployment, findingOf, HistoryScript, lostUpdate } from '../../harness/report/test-findings.ts';
import { controllers, nameOf, optionsFor } from '../catalogue.ts';

/** The finding in the README. */
export function example(): StoryInput {
  const stats = JSON.parse(stored('lost-update.stats.json')) as FindingStats;
  return { ...recorded('lost-update.record.json'), stats };
}

/** A finding in a real Go operator, from its record: with log lines, real time, and children with generated names. */
export function ofProcess(): StoryInput {
  return recorded('kuberay-715.record.json');
}

function stored(name: string): string {
  return readFileSync(new URL(`../../docs/examples/${name}`, import.meta.url), 'utf8');
}

function recorded(name: string): StoryInput {
  const { counterexample, history } = decodeRecord(stored(name), name);
  const { violation } = recheck({ version: 3, kind: 'record', counterexample, history });
  if (violation === undefined) throw new Error(`the stored example ${name} no longer shows its violation`);
  return { violation, counterexample, record: history };
}

/** Enough for a slow machine: shrinking must not end by the clock, or the finding would vary. */
const SHRINK_MS = 120_000;

/**
 * Searches a wrong controller of the catalogue, optionally with one property, and returns the first finding, which is the same for the same
 * seed.
 */
export async function found(name: string, seed: number, property?: string): Promise<StoryInput> {
  const entry = controllers.find((candidate) => nameOf(candidate) === name);
  if (entry === undefined) throw new Error(`the catalogue has no "${name}"`);
  const judged = property === undefined ? {} : { properties: [property] };
  const options = optionsFor(entry, { budget: 20_000, seed, stopAfter: 1, ...judged });
  const { findings } = await run(options, { shrinkMs: SHRINK_MS });
  const [finding] = findings;
  if (finding === undefined) throw new Error(`nothing was found in "${name}" with seed ${seed}`);
  return finding;
}

export const HOSTILE =
  '</script><script>document.title="taken"</script><img src=x onerror=\'document.title="taken"\'><!--';

/** A finding with hostile text in every field that is not under stalemate's control. */
export function hostile(): StoryInput {
  const told = lostUpdate();
  const { violation, record } = told;
  const spiked: KubeObject = {
    ...deployment(104, HOSTILE, 1),
    metadata: { ...deployment(104, HOSTILE, 1).metadata, annotations: { [HOSTILE]: HOSTILE } },
  };
  return {
    ...told,
    violation: { ...violation, sentence: `${violation.sentence} ${HOSTILE}` },
    record: {
      ...record,
      operations: record.operations.map((operation) => ({ ...operation, body: spiked, userAgent: HOSTILE })),
      revisions: record.revisions.map((revision) => ({
        ...revision,
        object: { ...revision.object, metadata: { ...revision.object.metadata, annotations: { [HOSTILE]: HOSTILE } } },
      })),
      logs: [{ actor: 'controller', line: HOSTILE, at: 5.5, timeMs: 0 }],
      missed: [HOSTILE],
    },
  };
}

const OBJECTS = 40;
const CONFLICT = { type: 'fail', code: 409, reason: 'Conflict', message: 'the object has been modified' } as const;

/** A long run: `events` requests and watch events on some objects, with the lost update at the end. */
export function long(events: number): StoryInput {
  const script = new HistoryScript();
  let revision = 1000;
  const current = Array.from({ length: OBJECTS }, (_, index) => named(index, ++revision, 1));
  for (const object of current) {
    const name = object.metadata.name ?? '';
    const facts = { resource: 'deployments.apps', name, outcome: { type: 'ok', code: 201, object } } as const;
    script.call({ actor: 'user', verb: 'create', ...facts, body: object, made: object });
  }
  script.contention();
  let k = 0;
  for (let made = OBJECTS; made < events - 4; made += 5) {
    const index = ((made / 5) % OBJECTS) | 0;
    const before = current[index] ?? named(index, revision, 1);
    const object = named(index, ++revision, 1 + (((made / 5) % 9) | 0));
    current[index] = object;
    const place = { resource: 'deployments.apps', name: `web-${index}` } as const;
    const actor = `writer-${1 + (index % 3)}`;
    script.pass(7);
    script.call({ actor, verb: 'get', ...place, outcome: { type: 'ok', code: 200, object: before } });
    script.call({
      actor,
      verb: 'update',
      ...place,
      body: object,
      made: object,
      outcome: { type: 'ok', code: 200, object },
    });
    script.call({ actor: 'controller', verb: 'update', ...place, body: before, outcome: CONFLICT });
    script.deliver('controller', 'deployments.apps', object, k++);
    script.call({ actor: 'controller', verb: 'get', ...place, outcome: { type: 'ok', code: 200, object } });
  }
  const live = current[0] ?? named(0, revision, 1);
  const old = named(0, ++revision, 77);
  const place = { resource: 'deployments.apps', name: 'web-0' } as const;
  const guilty = script.call({
    actor: 'controller',
    verb: 'update',
    ...place,
    body: old,
    made: old,
    outcome: { type: 'ok', code: 200, object: old },
  });
  return findingOf(script.history(), {
    signature: {
      property: 'no-lost-update',
      class: 'carried-back',
      actors: ['target', 'writer'],
      kind: 'deployments.apps',
      field: 'spec.replicas',
    },
    sentence: `controller reverted an acknowledged spec.replicas (version ${live.metadata.resourceVersion ?? ''}) after ${events} events`,
    operations: [guilty.id],
    revisions: [revision],
    at: script.mark().at,
  });
}

function named(index: number, revision: number, replicas: number): KubeObject {
  const object = deployment(revision, 'registry.example.com/web:v1', replicas);
  return { ...object, metadata: { ...object.metadata, name: `web-${index}`, uid: `u-${index}` } };
}
