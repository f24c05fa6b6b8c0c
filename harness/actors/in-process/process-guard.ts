/**
 * What a target does to the process it shares with the harness, attributed to its incarnation and kept from doing harm.
 *
 * Owns: unhandled rejections, uncaught exceptions, attempts to exit, process listeners left behind. Install once per worker.
 * An attempt to exit ends the incarnation: the call throws, so that the code after it does not run.
 */
import { syncBuiltinESMExports } from 'node:module';
import type { VirtualTime } from '../../determinism/virtual-time.ts';
import type { ActorId } from '../../model/actor.ts';
import type { ProcessEventKind } from '../../model/history.ts';

export type TellProcessEvent = (kind: ProcessEventKind, detail: string) => void;

export interface ProcessGuard {
  /** From now on what `actor` does is told to `tell`. */
  watch(actor: ActorId, tell: TellProcessEvent): void;
  /** Forgets the actor and removes the process listeners it registered. */
  forget(actor: ActorId): void;
  uninstall(): void;
}

export interface ProcessGuardOptions {
  readonly time: VirtualTime;
  /** Errors that belong to no incarnation: faults of the harness, or of module-level code of the target. */
  readonly onUnowned: (error: unknown) => void;
}

interface Watched {
  readonly tell: TellProcessEvent;
  readonly listeners: { readonly event: string | symbol; readonly listener: (...args: unknown[]) => void }[];
}

const REGISTERING = ['on', 'once', 'addListener', 'prependListener', 'prependOnceListener'] as const;

/** Thrown by `process.exit` inside a target; nobody reports it. */
class Exit extends Error {}

export function installProcessGuard({ time, onUnowned }: ProcessGuardOptions): ProcessGuard {
  const watched = new Map<ActorId, Watched>();

  const current = (): Watched | undefined => {
    const owner = time.currentOwner();
    return owner === undefined || time.currentIsDead() ? undefined : watched.get(owner);
  };

  const failed = (event: 'unhandledRejection' | 'uncaughtException', error: unknown): void => {
    if (error instanceof Exit || time.currentIsDead()) return;
    const incarnation = current();
    if (incarnation === undefined) onUnowned(error);
    // A target with a listener of its own has decided what becomes of it, as in its own process.
    else if (!incarnation.listeners.some((own) => own.event === event)) incarnation.tell('unhandled', describe(error));
  };
  const onUnhandledRejection = (error: unknown): void => failed('unhandledRejection', error);
  const onUncaughtException = (error: unknown): void => failed('uncaughtException', error);

  const undo: (() => void)[] = [];
  const replace = (
    key: 'exit' | 'abort' | 'kill' | (typeof REGISTERING)[number],
    make: (original: Function) => Function,
  ): void => {
    const own = Object.getOwnPropertyDescriptor(process, key);
    const original = process[key] as Function;
    Object.defineProperty(process, key, {
      value: make(original),
      writable: true,
      configurable: true,
      enumerable: true,
    });
    undo.push(() => {
      if (own === undefined) Reflect.deleteProperty(process, key);
      else Object.defineProperty(process, key, own);
    });
  };
  const ending =
    (
      describeCall: (args: readonly unknown[]) => string,
      concerns: (args: readonly unknown[]) => boolean = () => true,
    ) =>
    (original: Function) =>
      function end(this: unknown, ...args: unknown[]): unknown {
        if (!concerns(args)) return Reflect.apply(original, process, args);
        if (time.currentIsDead()) throw new Exit();
        const incarnation = current();
        if (incarnation === undefined) return Reflect.apply(original, process, args);
        const call = describeCall(args);
        incarnation.tell('exited', call);
        throw new Exit(call);
      };

  process.on('unhandledRejection', onUnhandledRejection);
  process.on('uncaughtException', onUncaughtException);
  replace(
    'exit',
    ending(([code]) => `process.exit(${text(code ?? process.exitCode ?? 0)})`),
  );
  replace(
    'abort',
    ending(() => 'process.abort()'),
  );
  replace(
    'kill',
    ending(
      ([, signal]) => `process.kill(process.pid, ${text(signal ?? 'SIGTERM')})`,
      ([pid, signal]) => pid === process.pid && signal !== 0,
    ),
  );
  for (const key of REGISTERING) {
    replace(
      key,
      (original) =>
        function register(this: unknown, event: string | symbol, listener: (...args: unknown[]) => void): unknown {
          current()?.listeners.push({ event, listener });
          return time.currentIsDead() ? process : Reflect.apply(original, process, [event, listener]);
        },
    );
  }

  syncBuiltinESMExports();

  return {
    watch: (actor, tell) => void watched.set(actor, { tell, listeners: [] }),
    forget: (actor) => {
      for (const { event, listener } of watched.get(actor)?.listeners ?? []) process.removeListener(event, listener);
      watched.delete(actor);
    },
    uninstall: () => {
      process.removeListener('unhandledRejection', onUnhandledRejection);
      process.removeListener('uncaughtException', onUncaughtException);
      for (const restore of undo.splice(0).reverse()) restore();
      syncBuiltinESMExports();
    },
  };
}

function text(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : typeof value;
}

/** One line: name, message, and the first frame outside Node's own code. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  const frame = error.stack
    ?.split('\n')
    .find((line) => /^\s+at /.test(line) && !/\(?node:/.test(line))
    ?.trim();
  return `${error.name}: ${error.message}${frame === undefined ? '' : ` ${frame}`}`;
}
