/**
 * Workloads as a fast-check arbitrary: few writers, short programs, often with spec changes by the user.
 *
 * Owns: how many writers of which kinds take part in one run. A run uses up to three kinds (five if it waits for long) and leaves out the
 * others (swarm testing), so that combinations are tried that the other kinds would mask. Operations of a writer are drawn from its own
 * table (`writer.ts`), built once per campaign because this runs before every trial. Shrinking is `shrink-workload.ts`.
 */
import * as fc from 'fast-check';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Program, ProgramOp, Workload } from '../../model/workload.ts';
import { shrinkWorkload } from './shrink-workload.ts';
import type { AdversarialWriter, Aim, WriterContext } from './writer.ts';
import { given } from '../../model/given.ts';

export interface WorkloadArbitraryOptions extends Partial<WriterContext> {
  readonly aim: Aim;
  readonly writers: readonly AdversarialWriter[];
  readonly sample: readonly KubeObject[];
  /** True for expensive trials: writers mostly aim at objects that the target writes too, and half of the runs have an empty start. */
  readonly aimed?: boolean;
  /**
   * True for only two writers besides the user or the writer that triggers the target; they often write to the same list or map as the
   * target. Runs with a long wait have the usual number of writers.
   */
  readonly rivals?: boolean;
  /** How the run starts; absent: mostly settled, sometimes empty. */
  readonly start?: Workload['start'];
}

/** A writer with its table of operations. */
interface Armed {
  readonly writer: AdversarialWriter;
  readonly ops: fc.Arbitrary<readonly ProgramOp[]>;
  readonly aim: Aim;
}

/** The number of writers besides the user, over ten runs: mostly one or two; none where the user's changes or the start are enough. */
const WRITER_COUNTS = [0, 1, 1, 1, 1, 2, 2, 2, 3, 3] as const;
/** The number of writers with `rivals`: enough for the target to lose a race twice. */
const RIVAL_COUNTS = [2] as const;
const WRITERS_MAX = Math.max(...WRITER_COUNTS);
/** One run in this many has an empty start, with the sample applied during contention. */
const EMPTY_START_ONE_IN = 5;

/** In one run of this many, a writer waits for the target to act by itself, if it ever does. */
const WAITING_ONE_IN = 8;
/** One in this many of the waits longer than {@link LONG_WAIT_MS} is used: hours cost as much as ten runs without a wait. */
const LONG_ONE_IN = 4;
const LONG_WAIT_MS = 20 * 60_000;
/** Runs with a long wait have more writers: changes made just before a target repairs or renews something show how it does that. */
const LONG_WAIT_WRITERS = 5;

/** In one of this many runs whose writers may write anywhere, all of them write to the samples and to one and the same child. */
const FOCUSED_ONE_IN = 3;

const EMPTY_START_ONE_IN_AIMED = 2;
/** Of four aimed runs: how many have writers write to lists or maps that the target writes, and how many to objects that it updates. */
const CONTESTING_OF_FOUR = 2;
const UPDATING_OF_FOUR = 1;
/**
 * In this many of eight aimed runs that start at rest, the user triggers the target; in one of the other runs, the user and a writer both
 * do.
 */
const STIRRED_BY_USER_OF_EIGHT = 4;

/** Generates workloads for one target. Generating one takes a handful of draws. */
export function workloadArbitrary(options: WorkloadArbitraryOptions): fc.Arbitrary<Workload> {
  return new WorkloadArbitrary(options);
}

class WorkloadArbitrary extends fc.Arbitrary<Workload> {
  readonly #sample: readonly KubeObject[];
  readonly #start: Workload['start'] | undefined;
  readonly #user: readonly Armed[];
  readonly #writers: readonly Armed[];
  /** For each child of the target: the writers, for this child and the samples. */
  readonly #focused: readonly (() => readonly Armed[])[];
  /** The writers that write to lists or maps that the target writes too. */
  readonly #contesting: readonly Armed[];
  /** The writers that write to objects which the target updates. */
  readonly #updating: readonly Armed[];
  /** The writers whose changes the target has to react to. */
  readonly #triggering: readonly Armed[];
  readonly #aimed: boolean;
  readonly #counts: readonly number[];
  readonly #rivals: boolean;
  readonly #waitsMs: readonly number[];

  constructor(options: WorkloadArbitraryOptions) {
    super();
    const { aim, writers, sample, start } = options;
    const context: WriterContext = {
      sample,
      ...given({ bystander: options.bystander, garbageCollection: options.garbageCollection }),
    };
    const arm = (writer: AdversarialWriter, objects: Aim['objects']): Armed[] => {
      const ops = writer.ops({ ...aim, objects }, context);
      return ops === undefined ? [] : [{ writer, ops, aim }];
    };
    const armed = writers.flatMap((writer) => arm(writer, aim.objects));
    const contesting = writers.flatMap((writer) =>
      writer.contests === undefined || writer.as === 'user' ? [] : arm(writer, aim.objects.filter(writer.contests)),
    );
    const updated = aim.objects.filter((object) => object.updated);
    this.#contesting = contesting;
    this.#updating = writers.flatMap((writer) => arm(writer, updated)).filter(({ writer }) => writer.as !== 'user');
    // Separately for the samples: with all objects in one table, hardly any run would begin with the deletion of a sample.
    this.#triggering = writers.flatMap((writer) => {
      const stirring = aim.objects.filter((object) => writer.stirs?.(object) === true);
      const byRelation = Map.groupBy(stirring, ({ relation }) => relation === 'sample');
      return [...byRelation.values()].flatMap((objects) => arm(writer, objects));
    });
    this.#aimed = options.aimed === true;
    this.#rivals = options.rivals === true;
    this.#counts = this.#rivals ? RIVAL_COUNTS : WRITER_COUNTS;
    this.#waitsMs = aim.waitsMs ?? [];
    this.#sample = sample;
    this.#start = start;
    this.#user = armed.filter(({ writer }) => writer.as === 'user');
    this.#writers = armed.filter(({ writer }) => writer.as !== 'user');
    const samples = aim.objects.filter(({ relation }) => relation === 'sample');
    const children = aim.objects.filter(({ relation }) => relation === 'created-by-target');
    const others = writers.filter((writer) => writer.as !== 'user');
    this.#focused = children.map((child) => once(() => others.flatMap((writer) => arm(writer, [...samples, child]))));
  }

  override generate(mrng: fc.Random, biasFactor: number | undefined): fc.Value<Workload> {
    const emptyOneIn = this.#aimed ? EMPTY_START_ONE_IN_AIMED : EMPTY_START_ONE_IN;
    const start = this.#start ?? (mrng.nextInt(1, emptyOneIn) === 1 ? 'empty' : 'settled');
    const waitMs = this.#wait(mrng);
    const isLong = waitMs !== undefined && waitMs > LONG_WAIT_MS;
    const programs: Program[] = [];
    let specChanged = false;
    // A target at rest sends nothing to interfere with, unless something triggers it.
    const isStirred = this.#aimed && start === 'settled';
    const stir = !isStirred ? undefined : isLong ? { byUser: true } : this.#trigger(mrng);
    const alone = start === 'settled' && this.#writers.length === 0;
    if (this.#user.length > 0 && (stir === undefined ? mrng.nextBoolean() || alone : stir.byUser)) {
      const armed = pick(this.#user, mrng);
      programs.push(program('user', armed, mrng, biasFactor));
      specChanged = armed.writer.changesSpec === true;
    }
    let count = isLong ? LONG_WAIT_WRITERS : (this.#counts[mrng.nextInt(0, this.#counts.length - 1)] ?? 1);
    if (count === 0 && programs.length === 0 && start === 'settled') count = 1;
    const left = [...(isLong ? this.#writers : this.#candidates(mrng))];
    let index = 1;
    if (stir?.by !== undefined) {
      programs.push(program(`writer-${index++}`, stir.by, mrng, biasFactor));
      count = Math.min(count + 1, WRITERS_MAX);
    }
    for (; index <= count && left.length > 0;) {
      const at = mrng.nextInt(0, left.length - 1);
      const [armed] = left.splice(at, 1);
      if (armed === undefined || (specChanged && armed.writer.changesSpec === true)) continue;
      const next = program(`writer-${index}`, armed, mrng, biasFactor);
      // An object deleted at once cannot be renewed or repaired hours later.
      if (isLong && next.ops.some((op) => op.do === 'delete')) continue;
      specChanged ||= armed.writer.changesSpec === true;
      programs.push(next);
      index++;
    }
    const waiting = waitMs === undefined ? programs : withWait(programs, waitMs, isLong, mrng);
    const workload: Workload = { version: 1, start, sample: this.#sample, programs: waiting };
    return new fc.Value<Workload>(workload, undefined);
  }

  /** Returns what triggers a target at rest: a changed spec, a deleted child or sample, or both. */
  #trigger(mrng: fc.Random): { readonly byUser: boolean; readonly by?: Armed } {
    if (this.#triggering.length === 0) return { byUser: true };
    const drawn = mrng.nextInt(0, 7);
    if (drawn < STIRRED_BY_USER_OF_EIGHT) return { byUser: true };
    return { byUser: drawn === 7, by: pick(this.#triggering, mrng) };
  }

  /** Returns how long one program of the run waits, in ms; undefined in most runs. */
  #wait(mrng: fc.Random): number | undefined {
    const waits = this.#waitsMs;
    if (waits.length === 0 || mrng.nextInt(1, WAITING_ONE_IN) > 1) return undefined;
    // A longer wait makes a longer run, so most waits are short.
    const waitMs = waits[Math.min(mrng.nextInt(0, waits.length - 1), mrng.nextInt(0, waits.length - 1))] as number;
    return waitMs > LONG_WAIT_MS && mrng.nextInt(1, LONG_ONE_IN) > 1 ? undefined : waitMs;
  }

  /** Returns the writers that may take part in one run. */
  #candidates(mrng: fc.Random): readonly Armed[] {
    if (!this.#aimed) return this.#anywhere(mrng);
    const drawn = mrng.nextInt(0, 3);
    if (drawn < CONTESTING_OF_FOUR && this.#contesting.length > 0) return this.#contesting;
    if (this.#rivals) return this.#anywhere(mrng);
    if (drawn < CONTESTING_OF_FOUR + UPDATING_OF_FOUR && this.#updating.length > 0) return this.#updating;
    return this.#anywhere(mrng);
  }

  /** Returns all writers: for all objects, or for one child and the samples, so that what they do there adds up. */
  #anywhere(mrng: fc.Random): readonly Armed[] {
    if (this.#focused.length < 2 || mrng.nextInt(1, FOCUSED_ONE_IN) > 1) return this.#writers;
    const focused = this.#focused[mrng.nextInt(0, this.#focused.length - 1)]?.() ?? [];
    return focused.length > 0 ? focused : this.#writers;
  }

  override canShrinkWithoutContext(value: unknown): value is Workload {
    return typeof value === 'object' && value !== null && 'programs' in value && 'sample' in value && 'start' in value;
  }

  override shrink(value: Workload): fc.Stream<fc.Value<Workload>> {
    return fc.stream(shrinkWorkload(value)).map((simpler) => new fc.Value<Workload>(simpler, undefined));
  }
}

/**
 * Makes one of the programs wait before one of its operations.
 *
 * @param isLast - True to wait before the program's last operation: the changes before it are made at once, and the target encounters them
 * hours later.
 */
function withWait(programs: readonly Program[], afterMs: number, isLast: boolean, mrng: fc.Random): readonly Program[] {
  const able = programs.filter(({ standing, ops }) => standing !== true && ops.length > 0);
  const chosen = able[able.length === 0 ? 0 : mrng.nextInt(0, able.length - 1)];
  if (chosen === undefined) return programs;
  const at = isLast ? chosen.ops.length - 1 : mrng.nextInt(0, chosen.ops.length - 1);
  const ops = chosen.ops.map((op, index) => (index === at ? { ...op, afterMs } : op));
  return programs.map((program) => (program === chosen ? { ...program, ops } : program));
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function pick(armed: readonly Armed[], mrng: fc.Random): Armed {
  return armed[mrng.nextInt(0, armed.length - 1)] as Armed;
}

function program(actor: string, { writer, ops, aim }: Armed, mrng: fc.Random, biasFactor: number | undefined): Program {
  const drawn = ops.generate(mrng, biasFactor).value;
  const heal = writer.heal?.(drawn, aim) ?? [];
  return {
    actor,
    writer: writer.name,
    ...(writer.standing === true ? { standing: true } : {}),
    ops: drawn,
    ...(heal.length === 0 ? {} : { heal }),
  };
}
