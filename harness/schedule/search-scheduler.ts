/**
 * The searching scheduler: a strategy chooses the items, and faults are drawn at random. In the end a random walk replaces the strategy.
 *
 * Owns: which fault may affect which item. Only faults that Kubernetes permits are drawn; `oracle/assumptions.ts` checks the result.
 */
import { roleOf } from '../model/actor.ts';
import { CONNECTION_KINDS, type ConnectionKind, type Link } from '../model/connection-fault.ts';
import { answersChange, type Choice, type Item, type Scheduler, type View } from '../model/item.ts';
import { partsOf } from '../model/label.ts';
import type { FaultAction, FaultKind } from '../model/schedule.ts';
import type { Search } from '../model/trial.ts';
import { drawConnectionFault } from './connection-faults.ts';
import { delaysMs } from './delays.ts';
import { longPauseMs, SHORT_PAUSE_MS } from './pauses.ts';
import type { Draws } from './strategies/draws.ts';
import { strategies } from './strategies/index.ts';
import { randomWalk } from './strategies/random-walk.ts';
import type { Strategy, StrategyHints } from './strategies/strategy.ts';

/** The most faults per run: with more, any failure could be explained. */
const FAULTS_MAX = 3;
/**
 * Durations of a lasting failure, in occurrences. The longest must expose retries without back-off, yet end before a client's back-off
 * reaches a minute.
 */
const LASTING = [1, 1, 2, 9];
const STATUSES = [429, 500, 503, 504] as const;
/**
 * Once a fault has ended a watch, one in this many of the requests with which the target recovers fails too. Clients handle these errors in
 * separate code, and a second fault would rarely hit one of these requests by chance.
 */
const RECOVERY_FAILS_ONE_IN = 4;

export class SearchScheduler implements Scheduler {
  readonly #strategy: Strategy;
  readonly #tail: Strategy;
  readonly #search: Search;
  readonly #draws: Draws;
  #faults = 0;
  #lasting: { stem: string; left: number; fault: FaultAction } | undefined;
  #replica = false;
  #paused = false;
  #delayed = false;
  /** True once a connection fault has been drawn: with two of them, it would be unclear which one mattered. */
  #disturbed = false;
  /** The resource whose watch was ended by a fault, until a second fault hits the list or watch with which the target recovers. */
  #recovering: string | undefined;
  readonly #lockMs: number | undefined;
  readonly #mayDelay: boolean;
  readonly #links: readonly Link[];

  constructor(search: Search, draws: Draws, hints: StrategyHints) {
    this.#search = search;
    this.#draws = draws;
    this.#strategy = strategies[search.strategy].make(draws, hints);
    this.#tail = randomWalk(draws, hints);
    this.#lockMs = hints.lockMs;
    this.#mayDelay = hints.mayDelay === true;
    this.#links = hints.links ?? [];
  }

  holding(): boolean {
    return false;
  }

  next(view: View): Choice | undefined {
    if (view.items.length === 0 && view.timer === undefined) return undefined;
    const strategy = view.step < this.#search.fairAfter ? this.#strategy : this.#tail;
    const item = strategy.pick(view);
    const fault = this.#own(strategy, item) ?? this.#fault(item);
    return fault === undefined ? { item } : { item, fault };
  }

  /** Returns the fault that the strategy itself requests, if any. */
  #own(strategy: Strategy, item: Item): FaultAction | undefined {
    const fault = strategy.fault?.(item);
    if (fault === undefined || this.#search.faults[fault.do] === undefined) return undefined;
    if (fault.do === 'start-replica') {
      if (this.#replica) return undefined;
      this.#replica = true;
    }
    this.#faults++;
    return fault;
  }

  #fault(item: Item): FaultAction | undefined {
    if (item.kind === 'timer' || roleOf(item.actor) !== 'target') return undefined;
    const lasting = this.#lasting;
    if (
      lasting !== undefined &&
      lasting.left > 0 &&
      item.kind === 'send' &&
      partsOf(item.label).stem === lasting.stem
    ) {
      lasting.left--;
      return lasting.fault;
    }
    if (this.#faults >= FAULTS_MAX) return undefined;
    const again = this.#ofRecovery(item);
    if (again !== undefined) return this.#draw(again, item);
    const ofItem = applicable(item);
    for (const kind of this.#links.length === 0 ? ofItem : [...ofItem, ...CONNECTION_KINDS]) {
      const chance = this.#search.faults[kind];
      if (chance === undefined || chance === 0 || this.#draws.int(10_000) >= chance) continue;
      if (kind === 'start-replica') {
        if (this.#replica) continue;
        this.#replica = true;
      }
      if (kind === 'pause') {
        if (this.#paused || this.#lockMs === undefined) continue;
        this.#paused = true;
      }
      if (kind === 'delay') {
        if (this.#delayed || !this.#mayDelay) continue;
        this.#delayed = true;
      }
      if (isConnectionKind(kind)) {
        if (this.#disturbed) continue;
        this.#disturbed = true;
      }
      return this.#draw(kind, item);
    }
    return undefined;
  }

  /**
   * After a fault has ended a watch: returns a fault for the target's next list or watch of that resource; undefined to draw none here.
   */
  #ofRecovery({ kind, verb, label }: Item): FaultKind | undefined {
    if (kind !== 'send' || (verb !== 'list' && verb !== 'watch') || partsOf(label).resource !== this.#recovering)
      return undefined;
    const enabled = ON_WATCH.filter((fault) => (this.#search.faults[fault] ?? 0) > 0);
    if (enabled.length === 0 || this.#draws.int(RECOVERY_FAILS_ONE_IN) > 0) return undefined;
    this.#recovering = undefined;
    return enabled[this.#draws.int(enabled.length)];
  }

  #draw(kind: FaultKind, item: Item): FaultAction {
    this.#faults++;
    const fault = this.#make(kind, item);
    if (fault.do === 'fail' || fault.do === 'refuse') {
      const left = (LASTING[this.#draws.int(LASTING.length)] ?? 1) - 1;
      this.#lasting = { stem: partsOf(item.label).stem, left, fault };
    }
    if (item.kind === 'event' && WATCH_ENDS.includes(kind)) this.#recovering = partsOf(item.label).resource;
    return fault;
  }

  #make(kind: FaultKind, item: Item): FaultAction {
    if (isConnectionKind(kind)) return drawConnectionFault(kind, this.#draws, this.#links);
    if (kind === 'delay') {
      const lengths = delaysMs(item.kind);
      return { do: kind, forMs: lengths[this.#draws.int(lengths.length)] ?? 0 };
    }
    if (kind === 'stale-list') return { do: kind, behind: 1 + this.#draws.int(8) };
    if (kind === 'pause') {
      const long = this.#lockMs !== undefined && this.#draws.int(2) === 0;
      return { do: kind, forMs: long ? longPauseMs(this.#lockMs ?? 0) : SHORT_PAUSE_MS };
    }
    if (kind !== 'fail') return { do: kind };
    const status = STATUSES[this.#draws.int(STATUSES.length)] ?? 500;
    return this.#draws.int(3) === 0 ? { do: kind, status, retryAfterSeconds: 1 } : { do: kind, status };
  }
}

const ON_WATCH: readonly FaultKind[] = ['fail', 'refuse'];
const ON_READ: readonly FaultKind[] = ['fail', 'refuse', 'delay'];
const ON_STALE_LIST: readonly FaultKind[] = ['stale-list', 'fail', 'refuse', 'delay'];
const ON_WRITE: readonly FaultKind[] = ['fail', 'refuse', 'crash', 'start-replica', 'pause', 'delay'];
const ON_WRITE_ANSWER: readonly FaultKind[] = ['lose-response', 'crash', 'pause', 'delay'];
const WATCH_ENDS: readonly FaultKind[] = ['close-watch', 'expire-watch', 'lose-response'];
const ON_EVENT: readonly FaultKind[] = [...WATCH_ENDS, 'delay'];
const NOTHING: readonly FaultKind[] = [];

function isConnectionKind(kind: FaultKind): kind is ConnectionKind {
  return CONNECTION_KINDS.some((one) => one === kind);
}

/** Returns the fault kinds that can affect an item of the target. */
function applicable(item: Item): readonly FaultKind[] {
  if (item.kind === 'event') return ON_EVENT;
  if (item.kind === 'send') {
    if (item.write) return ON_WRITE;
    if (item.staleable) return ON_STALE_LIST;
    return item.verb === 'watch' ? ON_WATCH : ON_READ;
  }
  return answersChange(item) ? ON_WRITE_ANSWER : NOTHING;
}
