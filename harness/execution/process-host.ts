/**
 * A host for a target that is a process: the embedded server and the gate in here, the target behind a front of its own, real time.
 *
 * All that passes waits at the gate, as in the deterministic mode. What differs is how rest is recognised: nobody can see into a
 * process, so after it was told something it gets a moment to act upon it. Start at {@link createProcessHost}.
 */
import { processHost, startProcess } from '../actors/process/process-incarnation.ts';
import type { Served } from '../apiserver/http/serve.ts';
import type { ApiServer } from '../apiserver/server.ts';
import { realDate, realDelay, realNow, realSetImmediate } from '../determinism/real-time.ts';
import { WallClock } from '../determinism/run-clock.ts';
import type { ProcessTarget } from '../model/counterexample.ts';
import type { Upstream } from '../wire/http.ts';
import { assembleServer } from './host.ts';
import type { Subject } from './protocol.ts';
import type { Host, Launch, Pace, World } from './world.ts';

/** Long enough for programs that answer within milliseconds; what takes longer is found by the settle window. */
const WALL_PACE: Pace = { setupWindowMs: 150, contentionWaitMs: 200, idleMs: 2_000 };
/** How long a process that was told something is given to act upon it before the next thing happens. */
const QUIET_MS = 4;
/** A process that has sent nothing by then does not use its kubeconfig, or takes too long to start. */
const START_MAX_MS = 20_000;
const POLL_MS = 1;

/** @param beat Told now and then that it is alive. */
export function createProcessHost(subject: Subject, target: ProcessTarget, beat: () => void): Host {
  const time = new WallClock();
  const rest = new Rest(time, beat);
  const { server, environment, reseed } = assembleServer(subject, () => realDate().getTime());
  const lives = processHost(target, subject.namespace, (actor, line) => host.current?.recorder.log(actor, line));
  const launch: Launch = (actor, upstream, tell) => {
    const started = rest.starting();
    const incarnation = startProcess(lives, actor, front(server, upstream, rest, started), (kind, detail) => {
      rest.moved();
      if (kind !== 'started') started();
      tell(kind, detail);
    });
    return {
      crash: () => {
        started();
        incarnation.crash();
      },
    };
  };
  const host: Host = {
    time,
    pace: WALL_PACE,
    launch,
    server,
    environment,
    reseed,
    drain: (world) => rest.drain(world),
    onDrained: undefined,
    current: undefined,
  };
  server.observe((change) => host.current?.committed(change));
  return host;
}

/** What a process talks to: the gate's port, and the server's knowledge of paths. */
function front(server: ApiServer, upstream: Upstream, rest: Rest, started: () => void): Served {
  return {
    routeOf: (path) => server.routeOf(path),
    refusalOf: (route, method) => server.refusalOf(route, method),
    send: (request, sink) => {
      started();
      return upstream.send(request, {
        answer: (response) => {
          rest.told();
          sink.answer(response);
        },
        open: (headers) => {
          rest.told();
          sink.open(headers);
        },
        event: (event) => {
          rest.told();
          sink.event(event);
        },
        end: (error) => {
          rest.told();
          sink.end(error);
        },
      });
    },
  };
}

/** Whether anything may still be on its way. */
class Rest {
  readonly #time: WallClock;
  readonly #beat: () => void;
  #starting = 0;
  #activity = 0;
  /** When the process was told something last; undefined once it has had its moment. */
  #toldMs: number | undefined;

  constructor(time: WallClock, beat: () => void) {
    this.#time = time;
    this.#beat = beat;
  }

  /** A life begins; the returned function says that it is there, or gone. */
  starting(): () => void {
    this.#starting++;
    const from = realNow();
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#starting--;
      if (realNow() - from < START_MAX_MS) this.told();
    };
  }

  told(): void {
    this.#toldMs = realNow();
    this.#activity++;
  }

  moved(): void {
    this.#activity++;
  }

  async drain(world: World): Promise<void> {
    const began = realNow();
    let seen = this.#all(world);
    let waiting = this.#time.waitingUntilMs > this.#time.now();
    for (;;) {
      await new Promise<void>((resolve) => realSetImmediate(resolve));
      const now = this.#all(world);
      if (now !== seen) {
        seen = now;
        waiting = false;
        if (this.#toldMs !== undefined) this.#toldMs = realNow();
      }
      const startingUp = this.#starting > 0 && realNow() - began < START_MAX_MS;
      const acting = this.#toldMs !== undefined && realNow() - this.#toldMs < QUIET_MS;
      if (waiting && this.#time.now() >= this.#time.waitingUntilMs) waiting = false;
      if (!startingUp && !acting && !waiting) break;
      this.#beat();
      await realDelay(POLL_MS);
    }
    this.#toldMs = undefined;
  }

  #all(world: World): number {
    return this.#activity + world.gate.activity;
  }
}
