/** A complete gate in front of an existing server, with a front for one actor. */
import type { ActorId } from '../../model/actor.ts';
import type { Scheduler } from '../../model/item.ts';
import { FreeRunning } from '../free-running.ts';
import { Gate, type GateHooks } from '../gate.ts';
import { Naming } from '../naming.ts';
import { Recorder } from '../recorder.ts';
import { openFront, type Front, type FrontOptions } from './front.ts';
import { remoteUpstream } from './remote-upstream.ts';

export interface OpenGateOptions extends Omit<FrontOptions, 'route'> {
  readonly actor: ActorId;
  /** Decides what happens to the gated requests, and when. */
  readonly scheduler: Scheduler;
  /** Returns the run time in ms. */
  readonly now: () => number;
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

/** Faults that act on the target itself do nothing here. */
const NO_HOOKS: Omit<GateHooks, 'parked'> = {
  crash: () => {},
  startReplica: () => {},
  pause: () => {},
  delay: (_label, _forMs, goOn) => goOn(),
};

/** @throws See {@link openFront}. */
export async function openGate(options: OpenGateOptions): Promise<StandingGate> {
  const { actor, scheduler, now, watchBytesMax, ...front } = options;
  const upstream = remoteUpstream(options.remote, watchBytesMax === undefined ? {} : { watchBytesMax });
  const naming = new Naming();
  const recorder = new Recorder(now, naming);
  const running = new FreeRunning(scheduler, () => gate);
  const gate: Gate = new Gate(upstream, recorder, naming, { ...NO_HOOKS, parked: running.parked });
  const port = gate.port(actor);
  const opened = await openFront({ ...front, route: () => ({ port }) });
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
