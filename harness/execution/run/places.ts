/**
 * Maps namespaces: on an existing cluster, they have names different from those in the sample and in stored files.
 *
 * The input of a run is translated to the cluster's names, and its history back to the original names, so that schedules, findings and
 * references are the same on every cluster. Owns: where namespace names occur. Start at {@link Places}.
 */
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../../model/actor.ts';
import { HarnessError } from '../../model/errors.ts';
import { given } from '../../model/given.ts';
import type { History } from '../../model/history.ts';
import type { Label } from '../../model/label.ts';
import type { Schedule } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { ObjectTarget, Program, ProgramOp } from '../../model/workload.ts';
import { withoutForeignSecrets } from '../../report/redaction/foreign-secrets.ts';
import { relabelled } from '../../schedule/relabel.ts';
import type { Live } from './live.ts';
import type { NamespacedOptions } from './namespaced-options.ts';

export class Places {
  readonly #there: ReadonlyMap<string, string>;
  /** Pairs of a name on the cluster and its original name, the longest first: one name may be a prefix of another. */
  readonly #back: readonly (readonly [string, string])[];

  /** The identity mapping. */
  static readonly NONE: Places = new Places(new Map());

  /**
   * @param there Maps the original namespaces to those on the cluster. The latter names must not occur in any other text: {@link back}
   * replaces them everywhere.
   */
  constructor(there: ReadonlyMap<string, string>) {
    this.#there = there;
    this.#back = [...there]
      .map(([ours, theirs]) => [theirs, ours] as const)
      .toSorted(([a], [b]) => b.length - a.length);
  }

  get isEmpty(): boolean {
    return this.#there.size === 0;
  }

  there(namespace: string): string {
    return this.#there.get(namespace) ?? namespace;
  }

  trial(trial: Trial): Trial {
    if (this.isEmpty) return trial;
    const { workload } = trial;
    return {
      ...trial,
      workload: {
        ...workload,
        sample: workload.sample.map((object) => this.object(object)),
        programs: workload.programs.map((program) => this.#program(program)),
      },
      schedule: relabelled(trial.schedule, (label) => this.label(label)),
    };
  }

  /** Translates an object: every field in it that is called `namespace` counts as a namespace name. Not for use on collections. */
  object(object: KubeObject): KubeObject {
    const moved = this.#value(object) as KubeObject;
    if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return moved;
    return { ...moved, metadata: { ...moved.metadata, name: this.there(object.metadata.name ?? '') } };
  }

  /**
   * Checks that the target does not use the original name of a namespace: on that cluster, it may be the name of another user's namespace.
   *
   * @throws {TARGET_INVALID} if it does.
   */
  check({ operations }: Pick<History, 'operations'>): void {
    if (this.isEmpty) return;
    const mistaken = operations.find(
      ({ actor, namespace }) => roleOf(actor) === 'target' && this.there(namespace) !== namespace,
    );
    if (mistaken === undefined) return;
    const { namespace } = mistaken;
    throw new HarnessError(
      'TARGET_INVALID',
      `the target asks for the namespace "${namespace}" of that cluster, which is not that of the run ("${this.there(namespace)}"); ` +
        'expected it to take the namespace from its command or a variable: put {namespace} there',
    );
  }

  /** Translates a word that is an original namespace name or ends with one after a separator: `shop`, `--namespace=shop`. */
  word(text: string): string {
    const at = /[=:,/]/.test(text) ? Math.max(...['=', ':', ',', '/'].map((sign) => text.lastIndexOf(sign))) + 1 : 0;
    return text.slice(0, at) + this.there(text.slice(at));
  }

  label(label: Label): Label {
    const watched = /^([^/]+\/watch\/[^/]+\/)([^/?#@]+)(.*)$/s.exec(label);
    if (watched !== null) {
      const [, begin = '', scope = '', rest = ''] = watched;
      return begin + this.there(scope) + (begin.endsWith('/namespaces/') ? this.#named(rest) : rest);
    }
    const parts = label.split('/');
    // The namespace comes after the subresource, if there is one.
    const at = [3, 4].find((index) => parts[index] === '-' || this.#there.has(parts[index] ?? ''));
    if (at === undefined) return label;
    if (parts[2] === 'namespaces' && parts[at] === '-') parts[at + 1] = this.#begun(parts[at + 1] ?? '');
    else parts[at] = this.there(parts[at] ?? '');
    return parts.join('/');
  }

  options<O extends NamespacedOptions>(options: O): O {
    if (this.isEmpty) return options;
    const { seedObjects, afterRest, atRest } = options;
    return {
      ...options,
      seedObjects: seedObjects?.map((object) => this.object(object)),
      afterRest: afterRest?.map((program) => this.#program(program)),
      atRest: atRest && ((live) => atRest(this.#live(live))),
    };
  }

  /**
   * Translates a history back. Secrets in other namespaces are removed first: such a namespace may have the same name as an original
   * namespace.
   */
  history(history: History): History {
    const theirs = new Set(this.#back.map(([name]) => name));
    return this.back(withoutForeignSecrets(history, (namespace) => theirs.has(namespace)));
  }

  schedule(schedule: Schedule): Schedule {
    return this.back(schedule);
  }

  /** Translates any document back to the original names. */
  back<T>(document: T): T {
    if (this.isEmpty) return document;
    let text = JSON.stringify(document);
    for (const [theirs, ours] of this.#back) text = text.replaceAll(theirs, ours);
    return JSON.parse(text) as T;
  }

  #live(live: Live): Live {
    return {
      history: this.history(live.history),
      waitsForReal: live.waitsForReal,
      settleOn: async (windowMs) => {
        const settled = await live.settleOn(windowMs);
        return { ...settled, history: this.history(settled.history) };
      },
      takeOver: async () => this.history(await live.takeOver()),
      lookOn: async () => {
        const look = await live.lookOn();
        return { ...look, history: this.history(look.history) };
      },
      leaveAlone: async (ms) => {
        const alone = await live.leaveAlone(ms);
        return alone && { ...alone, history: this.history(alone.history) };
      },
      liveOn: async (ms) => this.history(await live.liveOn(ms)),
    };
  }

  #program(program: Program): Program {
    const { ops, heal } = program;
    return {
      ...program,
      ops: ops.map((op) => this.#op(op)),
      ...(heal === undefined ? {} : { heal: heal.map((op) => this.#op(op)) }),
    };
  }

  #op(op: ProgramOp): ProgramOp {
    const target = this.#target(op.target);
    switch (op.do) {
      case 'create':
        return { ...op, target, object: this.object(op.object) };
      case 'delete':
        return {
          ...op,
          target,
          ...given({ recreate: typeof op.recreate === 'object' ? this.object(op.recreate) : op.recreate }),
        };
      case 'set':
        return { ...op, target, value: this.#value(op.value) };
      default:
        return { ...op, target, item: this.#value(op.item) };
    }
  }

  #target(target: ObjectTarget): ObjectTarget {
    const { group, resource, namespace, name } = target;
    const isNamespace = group === '' && resource === 'namespaces';
    return { ...target, namespace: this.there(namespace), name: isNamespace ? this.there(name) : name };
  }

  #value(value: JsonValue): JsonValue {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map((one) => this.#value(one));
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        key,
        key === 'namespace' && typeof one === 'string' ? this.there(one) : this.#value(one as JsonValue),
      ]),
    );
  }

  /** Translates the namespace at the end of a label such as `#0/default@3`, an event about a namespace. */
  #named(rest: string): string {
    const at = rest.indexOf('/');
    return at < 0 ? rest : rest.slice(0, at + 1) + this.#begun(rest.slice(at + 1));
  }

  /** Translates the namespace at the beginning of a text such as `default#0!sent` or `default@3`. */
  #begun(text: string): string {
    const name = /^[^#@!]*/.exec(text)?.[0] ?? '';
    return this.there(name) + text.slice(name.length);
  }
}
