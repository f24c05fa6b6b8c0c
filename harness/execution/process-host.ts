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
      rest.acted();
      return upstream.send(request, {
        answer: rest.telling((response) => sink.answer(response)),
        open: rest.telling((headers) => sink.open(headers)),
        event: rest.telling((event) => sink.event(event)),
        end: rest.telling((error) => sink.end(error)),
      });
    },
  };
}

/** How long a process that was told something is given to act upon it before the next thing happens. */
const QUIET_MS = { min: 4, max: 60 } as const;
/** Of the longest time that it took lately. */
const PATIENCE = 2;
/** How much of that is remembered after the next answer: a machine that was busy may be idle again. */
const MEMORY = 0.98;

/** How fast a process acts upon what it is told, as seen so far: on a busy machine everything takes longer. */
class Reaction {
  #longestMs = 0;

  get quietMs(): number {
    return Math.min(QUIET_MS.max, Math.max(QUIET_MS.min, this.#longestMs * PATIENCE));
  }

  /** It acted so long after it was told something. What comes much later has a cause of its own. */
  acted(afterMs: number): void {
    this.#longestMs *= MEMORY;
    if (afterMs <= QUIET_MS.max) this.#longestMs = Math.max(this.#longestMs, afterMs);
  }
}

/** Whether anything may still be on its way. */
class Rest {
  readonly #time: WallClock;
  readonly #beat: () => void;
  #starting = 0;
  #activity = 0;
  readonly #reaction = new Reaction();
  /** When the process was told something last. */
  #toldMs = 0;
  /** It may still act upon that. */
  #acting = false;

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

  /** The same, noted as something that the process is told. */
  telling<Args extends readonly unknown[]>(pass: (...args: Args) => void): (...args: Args) => void {
    return (...args) => {
      this.told();
      pass(...args);
    };
  }

  told(): void {
    this.#toldMs = realNow();
    this.#acting = true;
    this.#activity++;
  }

  /** The process sends something. */
  acted(): void {
    this.#reaction.acted(realNow() - this.#toldMs);
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
        if (this.#acting) this.#toldMs = realNow();
      }
      const startingUp = this.#starting > 0 && realNow() - began < START_MAX_MS;
      const acting = this.#acting && realNow() - this.#toldMs < this.#reaction.quietMs;
      if (waiting && this.#time.now() >= this.#time.waitingUntilMs) waiting = false;
      if (!startingUp && !acting && !waiting) break;
      this.#beat();
      await realDelay(POLL_MS);
    }
    this.#acting = false;
  }

  #all(world: World): number {
    return this.#activity + world.gate.activity;
  }
}
