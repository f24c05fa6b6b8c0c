/**
 * A complete gate in front of an existing server, with a front for one actor.
 *
 * Owns: which requests go through the gate. Requests that the schedule does not name pass unchanged, unless all are to be gated. Start at
 * {@link openGate}.
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
  /** Decides what happens to the gated requests, and when. */
  readonly scheduler: Scheduler;
  /** Returns the run time in ms. */
  readonly now: () => number;
  /** Only requests that this schedule names go through the gate and are recorded; absent: all do. */
  readonly only?: Schedule;
  /** Callbacks for faults that act on the target itself, such as a crash; absent: none. */
  readonly hooks?: Omit<GateHooks, 'parked'>;
  /** The limit of pending bytes per watch. */
  readonly watchBytesMax?: number;
}

export interface StandingGate {
  readonly front: Front;
  readonly gate: Gate;
  readonly recorder: Recorder;
  /** Asks the scheduler again; call this when the scheduler may decide differently. */
  readonly look: () => void;
  close(): Promise<void>;
}

const NO_HOOKS: Omit<GateHooks, 'parked'> = {
  crash: () => {},
  startReplica: () => {},
  pause: () => {},
  delay: (_label, _forMs, goOn) => goOn(),
};

/** @throws See {@link openFront}. */
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
