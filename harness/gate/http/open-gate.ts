/**
 * A gate before a server that is there, with a front for one actor: all the parts put together.
 *
 * Owns: which requests pass the gate and which pass beside it. What the schedule does not name passes as it is, unless everything is
 * wanted. Start at {@link openGate}.
 */
import type { Method } from 'stalemate-apiserver/wire/http';
import { requestInfo } from 'stalemate-apiserver/wire/request-info';
import type { ActorId } from '../../model/actor.ts';
import type { Scheduler } from '../../model/item.ts';
import type { Schedule } from '../../model/schedule.ts';
import { FreeRunning } from '../free-running.ts';
import { Gate, type GateHooks } from '../gate.ts';
import { Naming } from '../naming.ts';
import { Recorder } from '../recorder.ts';
import type { RequestHead } from './exchange.ts';
import { openFront, type Front, type FrontOptions, type Way } from './front.ts';
import { interestOf } from './interest.ts';
import { questionOf, remoteUpstream } from './remote-upstream.ts';

export interface OpenGateOptions extends Omit<FrontOptions, 'route'> {
  readonly actor: ActorId;
  /** Decides about what passes the gate. */
  readonly scheduler: Scheduler;
  /** Run time in ms. */
  readonly now: () => number;
  /** Only requests that this schedule names pass the gate, and only they are recorded; absent, all do and are. */
  readonly only?: Schedule;
  /** What schedules do to targets; absent, nothing. */
  readonly hooks?: Omit<GateHooks, 'parked'>;
  /** What may wait of one watch. */
  readonly watchBytesMax?: number;
}

export interface StandingGate {
  readonly front: Front;
  readonly gate: Gate;
  readonly recorder: Recorder;
  /** Asks the scheduler once more: to be called when it sees things differently. */
  readonly look: () => void;
  close(): Promise<void>;
}

const NO_HOOKS: Omit<GateHooks, 'parked'> = {
  crash: () => {},
  startReplica: () => {},
  pause: () => {},
  delay: (_label, _forMs, goOn) => goOn(),
};

/** @throws what {@link openFront} throws. */
export async function openGate(options: OpenGateOptions): Promise<StandingGate> {
  const { actor, scheduler, now, only, hooks = NO_HOOKS, watchBytesMax, ...front } = options;
  const upstream = remoteUpstream(options.remote, watchBytesMax === undefined ? {} : { watchBytesMax });
  const naming = new Naming();
  const recorder = new Recorder(now, naming);
  const running = new FreeRunning(scheduler, () => gate);
  const gate: Gate = new Gate(upstream, recorder, naming, { ...hooks, parked: running.parked });
  const through: Way = { port: gate.port(actor) };
  const isNamed = only === undefined ? () => true : interestOf(only, actor);
  const opened = await openFront({ ...front, route: (head) => (isNamed(infoOf(head)) ? through : BESIDE) });
  return {
    front: opened,
    gate,
    recorder,
    look: running.parked,
    close: async () => {
      await opened.close();
      upstream.close();
    },
  };
}

const BESIDE: Way = {};

function infoOf(head: RequestHead): ReturnType<typeof requestInfo> {
  const { path, query } = questionOf(head);
  return requestInfo(head.method as Method, path, query);
}
