/** Hand-written findings for the report's own tests. The order in which a script's methods are called determines the ticks. */
import { objectKey, type JsonValue, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { Violation } from '../model/check-result.ts';
import type { Signature } from '../model/signature.ts';
import type { Counterexample } from '../model/counterexample.ts';
import type { Finding, FindingStats, Neighbour } from '../model/finding.ts';
import type { Delivery, History, Mark, Operation, Outcome, ProcessEvent, Revision, Verb } from '../model/history.ts';
import { requestLabel } from '../model/label.ts';
import { EMPTY_SCHEDULE, type Schedule } from '../model/schedule.ts';
import { given } from '../model/given.ts';

export interface CallFacts {
  readonly actor: string;
  readonly verb: Verb;
  readonly resource: string;
  readonly name: string;
  readonly body?: JsonValue;
  readonly contentType?: string;
  readonly subresource?: string;
  readonly outcome: Outcome;
  /** The object as stored by a write. */
  readonly made?: KubeObject;
  readonly deleted?: boolean;
}

/** Builds a history call by call. */
export class HistoryScript {
  #tick = 0;
  #timeMs = 0;
  readonly #operations: Operation[] = [];
  readonly #revisions: Revision[] = [];
  readonly #deliveries: Delivery[] = [];
  readonly #processes: ProcessEvent[] = [];
  readonly #current = new Map<string, KubeObject>();
  readonly #counts = new Map<string, number>();
  readonly #names: { [uid: string]: string } = {};
  #contention: Mark = { at: 0, timeMs: 0 };

  mark(): Mark {
    return { at: ++this.#tick, timeMs: this.#timeMs };
  }

  pass(timeMs: number): void {
    this.#timeMs += timeMs;
  }

  contention(): void {
    this.#counts.clear();
    this.#contention = this.mark();
  }

  name(uid: string, canonical: string): void {
    this.#names[uid] = canonical;
  }

  call(facts: CallFacts): Operation {
    const { actor, verb, resource, name, subresource = '', made } = facts;
    const label = requestLabel({ actor, verb, resource, subresource, namespace: 'default', name });
    const n = this.#counts.get(label) ?? 0;
    this.#counts.set(label, n + 1);
    const id = this.#operations.length;
    const invoked = this.mark();
    const sent = this.mark();
    const revision = Number(made?.metadata.resourceVersion ?? 0);
    if (made !== undefined) this.#revise(made, facts, id, revision, sent);
    const operation: Operation = {
      id,
      actor,
      label: `${label}#${n}`,
      verb,
      resource,
      version: 'v1',
      subresource,
      namespace: 'default',
      name: verb === 'create' && made?.metadata.generateName !== undefined ? '' : name,
      query: {},
      ...given({ body: facts.body, contentType: facts.contentType }),
      invoked,
      sent,
      ...(facts.outcome.type === 'pending' ? {} : { answered: this.mark() }),
      outcome: facts.outcome,
      committed: made === undefined ? [] : [revision],
    };
    this.#operations.push(operation);
    return operation;
  }

  #revise(made: KubeObject, facts: CallFacts, op: number, revision: number, mark: Mark): void {
    const name = made.metadata.name ?? '';
    const key = objectKey(facts.resource, 'default', name);
    const before = this.#current.get(key);
    this.#current.set(key, made);
    this.#revisions.push({
      revision,
      type: facts.deleted === true ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED',
      resource: facts.resource,
      namespace: 'default',
      name,
      uid: made.metadata.uid ?? '',
      object: made,
      ...(before === undefined ? {} : { before }),
      op,
      actor: facts.actor,
      ...mark,
    });
  }

  deliver(actor: string, resource: string, object: KubeObject, k: number): void {
    const available = this.mark();
    this.#deliveries.push({
      actor,
      stream: `${actor}/watch/${resource}/default#0`,
      k,
      type: 'MODIFIED',
      resource,
      object,
      revision: Number(object.metadata.resourceVersion),
      available,
      ...this.mark(),
    });
  }

  process(actor: string, kind: ProcessEvent['kind'], detail: string): void {
    this.#processes.push({ actor, kind, detail, ...this.mark() });
  }

  history(extra: Partial<History> = {}): History {
    return {
      version: 1,
      phases: [
        { phase: 'setup', at: 0, timeMs: 0 },
        { phase: 'contention', ...this.#contention },
      ],
      operations: this.#operations,
      revisions: this.#revisions,
      deliveries: this.#deliveries,
      streamEnds: [],
      processes: this.#processes,
      decisions: [],
      settlement: { result: 'quiescent', windowMs: 1000 },
      steps: 6,
      names: this.#names,
      missed: [],
      probes: [],
      ...extra,
    };
  }
}

export const STATS: FindingStats = {
  stepsBefore: 93,
  stepsAfter: 6,
  actorsBefore: 24,
  actorsAfter: 2,
  executions: 25,
  preemptions: 1,
  holds: 0,
  faults: 0,
  heldItems: 0,
  reproduced: { k: 5, n: 5 },
  count: 1,
  grade: 'everyday',
  counterfactuals: [],
};

export function findingOf(
  history: History,
  violation: Omit<Violation, 'severity' | 'revisions' | 'at'> & Partial<Violation>,
  parts: { readonly schedule?: Schedule; readonly stats?: Partial<FindingStats> } = {},
): Finding {
  const full: Violation = { severity: 'error', revisions: [], at: Number.MAX_SAFE_INTEGER, ...violation };
  return {
    violation: full,
    counterexample: counterexampleOf(full.signature, full.sentence, parts.schedule ?? EMPTY_SCHEDULE),
    record: history,
    stats: { ...STATS, ...parts.stats },
  };
}

export function counterexampleOf(signature: Signature, sentence: string, schedule: Schedule): Counterexample {
  return {
    version: 1,
    kind: 'counterexample',
    signature,
    sentence,
    target: { module: 'controllers-under-test/web/refreshes-version-only/index.ts', transport: 'http-library' },
    namespace: 'default',
    crds: [],
    workload: { version: 1, start: 'settled', sample: [], programs: [] },
    schedule,
    config: {
      seed: 7,
      stepsMax: 400,
      settleWindowMs: 30_000,
      settleStepsMax: 2000,
      garbageCollection: true,
      namespaceController: false,
      replicasMax: 1,
    },
    foundWith: { stalemate: '0.1.0', node: 'v24.0.0' },
  };
}

export function deployment(revision: number, image: string, replicas: number): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', uid: 'u-web', resourceVersion: String(revision) },
    spec: { replicas, template: { spec: { containers: [{ name: 'web', image }] } } },
  };
}

const WEB = { resource: 'deployments.apps', name: 'web' } as const;
const ok = (object: KubeObject): Outcome => ({ type: 'ok', code: 200, object });
const CONFLICT: Outcome = { type: 'fail', code: 409, reason: 'Conflict', message: 'the object has been modified' };

const ANCHOR = 'controller/update/deployments.apps/default/web#0!sent';

/** The lost update of the documentation: a PUT with old content under a version that was fetched after a 409. */
export function lostUpdate(): Finding {
  const script = new HistoryScript();
  const v101 = deployment(101, 'v1', 3);
  const v102 = deployment(102, 'v1', 5);
  const v103 = deployment(103, 'v2', 3);
  script.call({ actor: 'user', verb: 'create', ...WEB, body: v101, made: v101, outcome: ok(v101) });
  script.deliver('controller', 'deployments.apps', v101, -1);
  script.contention();
  const began = script.mark().at;
  script.call({ actor: 'writer-1', verb: 'get', ...WEB, outcome: ok(v101) });
  const put = { verb: 'update', ...WEB } as const;
  const victim = script.call({
    actor: 'writer-1',
    ...put,
    body: deployment(101, 'v1', 5),
    made: v102,
    outcome: ok(v102),
  });
  script.call({ actor: 'controller', ...put, body: deployment(101, 'v2', 3), outcome: CONFLICT });
  script.call({ actor: 'controller', verb: 'get', ...WEB, outcome: ok(v102) });
  const guilty = script.call({
    actor: 'controller',
    ...put,
    body: deployment(102, 'v2', 3),
    made: v103,
    outcome: ok(v103),
  });
  const history = script.history({
    decisions: [{ kind: 'preemption', label: ANCHOR, detail: 'run writer-1', at: began, timeMs: 0 }],
  });
  return findingOf(
    history,
    {
      signature: {
        property: 'no-lost-update',
        class: 'carried-back',
        actors: ['target', 'writer'],
        kind: 'deployments.apps',
        field: 'spec.replicas',
      },
      sentence:
        "controller reverted writer-1's acknowledged spec.replicas 3→5 (version 102): its PUT carries content of version 101 " +
        'under version 102, fetched after a 409. At rest it leaves replicas alone.',
      operations: [guilty.id, victim.id],
      revisions: [102, 103],
    },
    {
      schedule: { ...EMPTY_SCHEDULE, preemptions: [{ before: ANCHOR, run: 'writer-1' }] },
      stats: { counterfactuals: [{ deviation: `before ${ANCHOR} run writer-1`, without: 'passes' }] },
    },
  );
}

/** The neighbour of {@link lostUpdate}: the controller writes first, and the writer's change is kept. */
export function undisturbed(): Neighbour {
  const script = new HistoryScript();
  const v101 = deployment(101, 'v1', 3);
  const v102 = deployment(102, 'v2', 3);
  const v103 = deployment(103, 'v2', 5);
  script.call({ actor: 'user', verb: 'create', ...WEB, body: v101, made: v101, outcome: ok(v101) });
  script.contention();
  const put = { verb: 'update', ...WEB } as const;
  script.call({ actor: 'controller', ...put, body: deployment(101, 'v2', 3), made: v102, outcome: ok(v102) });
  script.call({ actor: 'writer-1', verb: 'get', ...WEB, outcome: ok(v102) });
  script.call({ actor: 'writer-1', ...put, body: deployment(102, 'v2', 5), made: v103, outcome: ok(v103) });
  return { without: `before ${ANCHOR} run writer-1`, history: script.history() };
}
