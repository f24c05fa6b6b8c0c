import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { Counterexample } from '../../model/counterexample.ts';
import { HarnessError } from '../../model/errors.ts';
import type { History } from '../../model/history.ts';
import { Random } from '../../determinism/random.ts';
import { CONNECTION_KINDS } from '../../model/connection-fault.ts';
import type { Fault, Hold, Preemption, Schedule } from '../../model/schedule.ts';
import { drawConnectionFault } from '../connection-faults.ts';
import type { ProgramOp, Workload } from '../../model/workload.ts';
import { decodeCounterexample, encodeCounterexample } from './counterexample.ts';
import { decode, type Format } from './format.ts';
import { decodeHistory, encodeHistory } from './history.ts';
import { decodeRecord, decodeReplayable, encodeRecord } from './record.ts';
import { decodeSchedule, encodeSchedule } from './schedule.ts';
import { decodeWorkload, encodeWorkload } from './workload.ts';

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const label = fc
  .tuple(name, fc.nat(3))
  .map(([part, n]) => `controller/update/widgets.example.com/default/${part}#${n}!sent`);
/** Encodes and decodes a value once, because JSON has no negative zero. */
const json = fc.json({ maxDepth: 2 }).map((text) => JSON.parse(JSON.stringify(JSON.parse(text))) as JsonObject);

const preemption: fc.Arbitrary<Preemption> = fc.oneof(
  fc.record({ before: label, run: name }),
  fc.record({ after: label, run: name, until: label }),
  fc.record({ before: label, run: fc.constant('time'), forMs: fc.integer({ min: 1, max: 600_000 }) }),
);
const hold: fc.Arbitrary<Hold> = fc.record({
  stream: label,
  from: fc.nat(9).map((k) => `@${k}`),
  until: fc.oneof(label, fc.constant('heal')),
});
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ at: label, do: fc.constant('fail' as const), status: fc.constantFrom(429 as const, 503 as const) }),
  fc.record({
    at: label,
    do: fc.constantFrom('crash' as const, 'lose-response' as const),
    times: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({ at: label, do: fc.constant('stale-list' as const), behind: fc.nat(20) }),
  fc.record({
    at: label,
    do: fc.constantFrom('pause' as const, 'delay' as const),
    forMs: fc.integer({ min: 1, max: 600_000 }),
  }),
  fc
    .tuple(label, fc.constantFrom(...CONNECTION_KINDS), fc.nat(), fc.option(label, { nil: undefined }))
    .map(([at, kind, seed, until]) => ({
      at,
      ...drawConnectionFault(kind, new Random(seed), ['target', 'cluster']),
      ...(until === undefined ? {} : { until }),
    })),
);
const schedule: fc.Arbitrary<Schedule> = fc.record({
  version: fc.constant(1 as const),
  default: fc.constant('run-to-completion' as const),
  preemptions: fc.array(preemption, { maxLength: 4 }),
  holds: fc.array(hold, { maxLength: 2 }),
  faults: fc.array(fault, { maxLength: 3 }),
});

const kubeObject: fc.Arbitrary<KubeObject> = fc
  .record({ name, revision: fc.integer({ min: 1, max: 40 }), spec: json, keyOrder: fc.boolean() })
  .map(({ name, revision, spec, keyOrder }) => {
    const metadata = { name, resourceVersion: String(revision) };
    return keyOrder
      ? { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec }
      : { spec, metadata, kind: 'Widget', apiVersion: 'example.com/v1' };
  });
const target = fc.record({
  group: fc.constant('example.com'),
  version: fc.constant('v1'),
  resource: fc.constant('widgets'),
  namespace: name,
  name,
});
const path = fc.array(fc.oneof(name, fc.record({ type: name })), { minLength: 1, maxLength: 3 });
const op: fc.Arbitrary<ProgramOp> = fc.oneof(
  fc.record({ do: fc.constant('create' as const), target, object: kubeObject }),
  fc.record({
    do: fc.constant('set' as const),
    target,
    path,
    value: json,
    via: fc.constantFrom('update' as const, 'json-patch' as const),
  }),
  fc.record({
    do: fc.constantFrom('append' as const, 'remove-item' as const),
    target,
    path,
    item: json,
    afterMs: fc.integer({ min: 1 }),
  }),
  fc.record({ do: fc.constant('delete' as const), target, propagation: fc.constant('Foreground' as const) }),
);
const workload: fc.Arbitrary<Workload> = fc.record({
  version: fc.constant(1 as const),
  start: fc.constantFrom('settled' as const, 'empty' as const),
  sample: fc.array(kubeObject, { maxLength: 2 }),
  programs: fc.array(
    fc.record(
      {
        actor: name,
        writer: name,
        standing: fc.boolean(),
        ops: fc.array(op, { maxLength: 4 }),
        heal: fc.array(op, { maxLength: 2 }),
      },
      { requiredKeys: ['actor', 'writer', 'ops'] },
    ),
    { maxLength: 3 },
  ),
});

const counterexample: fc.Arbitrary<Counterexample> = fc.record({
  version: fc.constant(1 as const),
  kind: fc.constant('counterexample' as const),
  signature: fc.record({ property: name, class: name, actors: fc.array(name), kind: name, field: name }),
  sentence: fc.string(),
  target: fc.record({ module: name, transport: fc.constantFrom('http-library' as const, 'dispatcher' as const) }),
  namespace: name,
  crds: fc.array(kubeObject, { maxLength: 1 }),
  workload,
  schedule,
  config: fc.record({
    seed: fc.integer(),
    stepsMax: fc.integer({ min: 1 }),
    settleWindowMs: fc.nat(),
    settleStepsMax: fc.nat(),
    garbageCollection: fc.boolean(),
    namespaceController: fc.boolean(),
    replicasMax: fc.constantFrom(1 as const, 2 as const),
    serialised: fc.boolean(),
  }),
  foundWith: fc.record({ stalemate: name, node: name }),
});

/** Histories whose records share objects, as they do in memory. */
const history: fc.Arbitrary<History> = fc
  .tuple(fc.array(kubeObject, { minLength: 1, maxLength: 6 }), fc.array(fc.nat(5), { maxLength: 12 }), fc.string())
  .map(([objects, picks, text]) => historyOf(objects, picks, text));

function historyOf(objects: readonly KubeObject[], picks: readonly number[], text: string): History {
  const at = (index: number): KubeObject => objects[index % objects.length] as KubeObject;
  const mark = { at: 1, timeMs: 0.5 };
  const place = { resource: 'widgets.example.com', namespace: 'default', name: 'a' };
  return {
    version: 1,
    phases: [{ phase: 'setup', ...mark }],
    operations: picks.map((pick, id) => ({
      id,
      actor: 'controller',
      label: `controller/get/widgets.example.com/default/a#${id}`,
      verb: 'get',
      version: 'v1',
      subresource: '',
      query: {},
      ...place,
      invoked: mark,
      outcome:
        pick === 0
          ? { type: 'ok', code: 200, items: objects, listRevision: 7 }
          : { type: 'ok', code: 200, object: at(pick) },
      committed: [],
    })),
    revisions: picks.map((pick, index) => ({
      revision: index,
      type: 'MODIFIED',
      uid: 'u',
      object: at(pick),
      before: at(pick + 1),
      op: 0,
      actor: 'user',
      ...place,
      ...mark,
    })),
    deliveries: [
      {
        actor: 'controller',
        stream: 's#0',
        k: -1,
        type: 'ERROR',
        resource: 'pods',
        revision: 0,
        available: mark,
        ...mark,
      },
      {
        actor: 'controller',
        stream: 's#0',
        k: 0,
        type: 'ADDED',
        resource: 'pods',
        object: at(1),
        revision: 1,
        available: mark,
        ...mark,
      },
    ],
    streamEnds: [],
    processes: [{ actor: 'controller', kind: 'unhandled', detail: text, ...mark }],
    decisions: [],
    settlement: { result: 'quiescent', windowMs: 1000 },
    steps: 1,
    names: { u: 'a' },
    missed: [],
    probes: [
      { probe: 'expected-state', outcomes: [{ objects: { 'widgets.example.com/default/a': at(2) } }], settled: true },
    ],
  };
}

describe('codec', () => {
  it('gives back the schedule that it wrote', () => {
    fc.assert(
      fc.property(schedule, (value) => {
        expect(decodeSchedule(encodeSchedule(value), 'f')).toEqual(value);
      }),
    );
  });

  it('gives back the workload that it wrote, with the keys of its objects in their order', () => {
    fc.assert(
      fc.property(workload, (value) => {
        const back = decodeWorkload(encodeWorkload(value), 'f');
        expect(back).toEqual(value);
        expect(JSON.stringify(back.sample)).toBe(JSON.stringify(value.sample));
      }),
    );
  });

  it('gives back the counterexample that it wrote', () => {
    fc.assert(
      fc.property(counterexample, (value) => {
        expect(decodeCounterexample(encodeCounterexample(value), 'f')).toEqual(value);
      }),
    );
  });

  it('gives back the history that it wrote', () => {
    fc.assert(
      fc.property(history, (value) => {
        expect(decodeHistory(encodeHistory(value), 'f')).toEqual(value);
      }),
    );
  });

  it('gives back the record that it wrote, and replays the counterexample inside', () => {
    fc.assert(
      fc.property(counterexample, history, (counterexample, history) => {
        const text = encodeRecord({ version: 3, kind: 'record', counterexample, history });
        expect(decodeRecord(text, 'f')).toEqual({ version: 3, kind: 'record', counterexample, history });
        expect(decodeReplayable(text, 'f')).toEqual(counterexample);
        expect(encodeRecord(decodeRecord(text, 'f'))).toBe(text);
      }),
      { numRuns: 30 },
    );
  });

  it('writes the same text whatever the order of keys in memory', () => {
    fc.assert(
      fc.property(schedule, (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse()) as unknown as Schedule;
        expect(encodeSchedule(reversed)).toBe(encodeSchedule(value));
      }),
    );
  });

  it('writes short maps on one line and long ones one key a line', () => {
    const text = encodeSchedule({
      version: 1,
      default: 'run-to-completion',
      preemptions: [{ before: 'controller/update/deployments.apps/default/web#0!sent', run: 'writer-1' }],
      holds: [],
      faults: [],
    });

    expect(text).toBe(`{
  "version": 1,
  "default": "run-to-completion",
  "preemptions": [
    { "before": "controller/update/deployments.apps/default/web#0!sent", "run": "writer-1" }
  ],
  "holds": [],
  "faults": []
}
`);
  });
});

const widget = (revision: number, spec: JsonObject): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', resourceVersion: String(revision) },
  spec,
});

function refusal(read: () => unknown): HarnessError {
  try {
    read();
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}

function sampleRecord(): { counterexample: Counterexample; history: History } {
  const [value] = fc.sample(counterexample, { numRuns: 1, seed: 1 });
  if (value === undefined) throw new Error('expected a sample');
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', resourceVersion: '1' } };
  return { counterexample: value, history: historyOf([object], [1], '') };
}

describe('history codec', () => {
  it('stores an object once per revision, also when two equal copies are in memory', () => {
    const text = encodeHistory(historyOf([widget(7, { size: 1 }), widget(7, { size: 1 })], [1, 2, 1, 2], ''));

    expect(Object.keys((JSON.parse(text) as { objects: object }).objects)).toEqual(['7']);
  });

  it('keeps two representations of one revision apart', () => {
    const text = encodeHistory(historyOf([widget(7, { size: 1 }), widget(7, { size: 2 })], [1, 2], ''));

    expect(Object.keys((JSON.parse(text) as { objects: object }).objects)).toEqual(['7', '7.2']);
  });

  it('restores sharing: records of one revision hold the same object again', () => {
    const back = decodeHistory(encodeHistory(historyOf([widget(7, {}), widget(8, {})], [1, 1], '')), 'f');

    const [first, second] = back.operations.map(({ outcome }) => (outcome.type === 'ok' ? outcome.object : undefined));
    expect(first).toBeDefined();
    expect(first).toBe(second);
    expect(back.revisions[0]?.object).toBe(first);
    expect(back.deliveries[1]?.object).toBe(first);
  });

  it('names the record whose object is missing', () => {
    const text = encodeHistory(historyOf([widget(7, {})], [1], '')).replace('"object": "7"', '"object": "99"');

    expect(() => decodeHistory(text, 'h.json')).toThrow(
      /^"h\.json" is not a valid history: at (operations|revisions)\[0\]\S*: expected a key of "objects", found "99"/,
    );
  });
});

describe('reading a file that is not what it should be', () => {
  const good: Schedule = {
    version: 1,
    default: 'run-to-completion',
    preemptions: [{ before: 'a#0!sent', run: 'writer-1' }],
    holds: [],
    faults: [],
  };
  const text = encodeSchedule(good);

  it('refuses every truncation and says where the file ends', () => {
    for (let length = 0; length < text.trimEnd().length; length++) {
      const error = refusal(() => decodeSchedule(text.slice(0, length), 'cut.json'));
      expect(error.code).toBe('FORMAT_INVALID');
      expect(error.message).toMatch(/^"cut\.json" is (cut off|not JSON)/);
    }
  });

  it('names the place and the expectation', () => {
    const edited = text.replace('"writer-1"', '5');

    expect(refusal(() => decodeSchedule(edited, 's.json')).message).toBe(
      '"s.json" is not a valid schedule of version 1: at preemptions[0].run: expected a string, found 5; ' +
        'undo the edit, or copy the file from where it was written',
    );
  });

  it('names a misspelt field', () => {
    const edited = text.replace('"run"', '"runs"');

    expect(refusal(() => decodeSchedule(edited, 's.json')).message).toContain(
      'at preemptions[0].run: expected a string',
    );
    expect(refusal(() => decodeSchedule(text.replace('"holds"', '"hold"'), 's.json')).message).toContain('at holds');
  });

  it('refuses a preemption without an anchor', () => {
    expect(refusal(() => decodeSchedule(text.replace('"before": "a#0!sent", ', ''), 's.json')).message).toContain(
      'exactly one of "before" and "after" must be given',
    );
  });

  it('refuses a newer version with both versions and what to do', () => {
    const newer = text.replace('"version": 1', '"version": 3');

    const error = refusal(() => decodeSchedule(newer, 's.json'));
    expect(error.code).toBe('FORMAT_TOO_NEW');
    expect(error.message).toBe(
      '"s.json" is a schedule of version 3, and this stalemate reads up to version 1; ' +
        'update stalemate to read it, or find the failure again with this one',
    );
  });

  it('refuses a newer version of a part and names the part', () => {
    const record = encodeRecord({ version: 3, kind: 'record', ...sampleRecord() });
    const newer = record.replace('"version": 1,\n      "default"', '"version": 2,\n      "default"');

    const error = refusal(() => decodeRecord(newer, 'r.json'));
    expect(error.code).toBe('FORMAT_TOO_NEW');
    expect(error.message).toContain('"r.json" at counterexample.schedule is a schedule of version 2');
  });

  it('refuses a document of another kind, or of none', () => {
    const workload = encodeWorkload({ version: 1, start: 'empty', sample: [], programs: [] });

    expect(refusal(() => decodeSchedule(workload, 'w.json')).message).toBe(
      '"w.json" is a workload; expected a schedule',
    );
    expect(refusal(() => decodeCounterexample('[1]', 'l.json')).message).toBe(
      '"l.json" is no document of stalemate; expected a counterexample',
    );
    expect(refusal(() => decodeCounterexample('{"kind":"counterexample"}', 'c.json')).message).toContain(
      'has no "version"',
    );
  });
});

describe('upgrades', () => {
  const note: Format<{ readonly version: 3; readonly text: string; readonly tags: readonly string[] }> = {
    kind: 'schedule',
    version: 3,
    schema: z.strictObject({ version: z.literal(3), text: z.string(), tags: z.array(z.string()) }),
    upgrades: [({ note, ...rest }) => ({ ...rest, text: note }), (document) => ({ ...document, tags: [] })],
  };

  it('brings an old document up step by step', () => {
    expect(decode(note, '{"version":1,"note":"hello"}', 'f')).toEqual({ version: 3, text: 'hello', tags: [] });
  });

  it('takes only the steps that are missing', () => {
    expect(decode(note, '{"version":2,"text":"hello"}', 'f')).toEqual({ version: 3, text: 'hello', tags: [] });
    expect(decode(note, '{"version":3,"text":"hello","tags":["a"]}', 'f')).toEqual({
      version: 3,
      text: 'hello',
      tags: ['a'],
    });
  });
});
