/**
 * One incarnation of an in-process target: started with a KubeConfig that uses an `Upstream`, ended by a crash or a regular stop.
 *
 * A crash permanently cuts its transport and its timers. Module state survives it, since the module stays loaded: this is the only
 * difference between an in-process restart and a real one.
 */
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { createInProcessKubeConfig } from 'stalemate-apiserver/client-node/kube-config';
import type { VirtualTime } from '../../determinism/virtual-time.ts';
import type { ActorId } from '../../model/actor.ts';
import type { Transport } from '../../model/counterexample.ts';
import { effectsFor } from '../outside/effects.ts';
import type { LoadedTarget, RunningTarget } from './load-target.ts';
import { describe, TargetExit } from './process-guard.ts';
import type { ProcessGuard, ReportProcessEvent } from './process-guard.ts';

export interface TargetHostOptions {
  readonly target: LoadedTarget;
  readonly time: VirtualTime;
  readonly guard: ProcessGuard;
  readonly transport: Transport;
  readonly namespace: string;
  readonly userAgent?: string;
  /** True if it gets a store outside the cluster. */
  readonly effects?: boolean;
}

export interface TargetIncarnation {
  /** Permanently cuts its transport and its timers, without notice. */
  crash(): void;
  /** Stops it normally: aborts the signal, calls the returned `stop()`, then does the same as {@link crash}. */
  stop(): void;
}

/** Starts one incarnation of the target as `actor`. Errors of the target are reported, never thrown. */
export function startIncarnation(
  host: TargetHostOptions,
  actor: ActorId,
  upstream: Upstream,
  report: ReportProcessEvent,
): TargetIncarnation {
  const incarnation = new ModuleInstance(host, actor, upstream, report);
  host.time.runAs(actor, () => incarnation.start());
  return incarnation;
}

class ModuleInstance implements TargetIncarnation, Upstream {
  readonly #host: TargetHostOptions;
  readonly #actor: ActorId;
  readonly #upstream: Upstream;
  readonly #report: ReportProcessEvent;
  readonly #end = new AbortController();
  #running: RunningTarget | undefined;
  #over = false;

  constructor(host: TargetHostOptions, actor: ActorId, upstream: Upstream, report: ReportProcessEvent) {
    this.#host = host;
    this.#actor = actor;
    this.#upstream = upstream;
    this.#report = (kind, detail) => {
      if (this.#over) return;
      report(kind, detail);
    };
    host.guard.watch(actor, this.#report);
  }

  /** Starts the target in a microtask, so that the caller has the incarnation before the target can exit. */
  start(): void {
    queueMicrotask(() => {
      if (!this.#over) this.#start();
    });
  }

  #start(): void {
    const { target, transport, namespace, userAgent, effects = false } = this.#host;
    try {
      const kubeConfig = createInProcessKubeConfig({
        clientNode: target.clientNode,
        upstream: this,
        transport,
        namespace,
        ...(userAgent === undefined ? {} : { userAgent }),
      });
      const started = target.start({
        kubeConfig,
        namespace,
        signal: this.#end.signal,
        ...(effects ? { effects: effectsFor(this) } : {}),
      });
      if (started instanceof Promise) started.then(this.#started, this.#startFailed);
      else this.#started(started);
    } catch (error) {
      this.#startFailed(error);
    }
  }

  /** Forwards a request, but nothing after the end: requests vanish, and answers to earlier ones never arrive. */
  send(...[request, sink]: Parameters<Upstream['send']>): () => void {
    if (this.#over) return () => {};
    const abort = this.#upstream.send(request, {
      answer: (response) => {
        if (!this.#over) sink.answer(response);
      },
      open: () => {
        if (!this.#over) sink.open();
      },
      event: (event) => {
        if (!this.#over) sink.event(event);
      },
      end: (error) => {
        if (!this.#over) sink.end(error);
      },
    });
    return () => {
      if (!this.#over) abort();
    };
  }

  crash(): void {
    this.#over = true;
    this.#host.guard.forget(this.#actor);
    this.#host.time.dropOwner(this.#actor);
  }

  stop(): void {
    if (this.#over) return;
    const report = this.#report;
    this.#host.time.runAs(this.#actor, () => {
      try {
        this.#end.abort();
        const stopped = this.#running?.stop?.();
        if (stopped instanceof Promise) stopped.catch(() => {});
      } catch (error) {
        if (!(error instanceof TargetExit)) report('unhandled', describe(error));
      }
    });
    report('stopped', 'by the harness');
    this.crash();
  }

  readonly #started = (running: unknown): void => {
    if (typeof running === 'object' && running !== null) this.#running = running;
    this.#report('started', '');
  };

  readonly #startFailed = (error: unknown): void => {
    if (!(error instanceof TargetExit)) this.#report('start-failed', describe(error));
  };
}
