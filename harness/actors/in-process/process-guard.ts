/**
 * Guards the process that a target shares with the harness: attributes process-wide effects to an incarnation and contains them.
 *
 * Owns: unhandled rejections, uncaught exceptions, attempts to exit, leftover process listeners. Install once per worker. An attempt to
 * exit ends the incarnation: the call throws, so that the code after it does not run.
 */
import { syncBuiltinESMExports } from 'node:module';
import { Patches } from '../../determinism/patches.ts';
import { shortPath } from '../../determinism/source-path.ts';
import type { VirtualTime } from '../../determinism/virtual-time.ts';
import type { ActorId } from '../../model/actor.ts';
import type { ProcessEventKind } from '../../model/history.ts';

export type ReportProcessEvent = (kind: ProcessEventKind, detail: string) => void;

export interface ProcessGuard {
  /** Reports process-wide effects of `actor` to `report` from now on. */
  watch(actor: ActorId, report: ReportProcessEvent): void;
  /** Stops watching the actor and removes its process listeners. */
  forget(actor: ActorId): void;
  uninstall(): void;
}

export interface ProcessGuardOptions {
  readonly time: VirtualTime;
  /** Called with errors that belong to no incarnation: bugs of the harness, or of module-level code of the target. */
  readonly onUnowned: (error: unknown) => void;
}

type Method = (...args: unknown[]) => unknown;

interface Watched {
  readonly report: ReportProcessEvent;
  readonly listeners: { readonly event: string | symbol; readonly listener: Method }[];
}

/** Matches `at fn (file:line:column)` or `at file:line:column`. */
const FRAME = /^\s+at (?:.*\()?(.+?):(\d+):\d+\)?$/;

const REGISTERING = ['on', 'once', 'addListener', 'prependListener', 'prependOnceListener'] as const;

/** Thrown by `process.exit` inside a target, after the exit was reported. */
export class TargetExit extends Error {}

export function installProcessGuard({ time, onUnowned }: ProcessGuardOptions): ProcessGuard {
  const watched = new Map<ActorId, Watched>();

  const current = (): Watched | undefined => {
    const owner = time.currentOwner();
    return owner === undefined || time.currentIsDead() ? undefined : watched.get(owner);
  };

  const failed = (event: 'unhandledRejection' | 'uncaughtException', error: unknown): void => {
    if (error instanceof TargetExit || time.currentIsDead()) return;
    const incarnation = current();
    if (incarnation === undefined) onUnowned(error);
    // A target with a listener of its own handles the error itself, as in its own process.
    else if (!incarnation.listeners.some((own) => own.event === event))
      incarnation.report('unhandled', describe(error));
  };
  const onUnhandledRejection = (error: unknown): void => failed('unhandledRejection', error);
  const onUncaughtException = (error: unknown): void => failed('uncaughtException', error);

  const patches = new Patches();
  const replace = (key: string, make: (original: Method) => Method): void => {
    patches.value(process, key, make(Reflect.get(process, key) as Method));
  };
  const ending =
    (
      describeCall: (args: readonly unknown[]) => string,
      concerns: (args: readonly unknown[]) => boolean = () => true,
    ) =>
    (original: Method): Method =>
    (...args) => {
      if (!concerns(args)) return Reflect.apply(original, process, args);
      if (time.currentIsDead()) throw new TargetExit();
      const incarnation = current();
      if (incarnation === undefined) return Reflect.apply(original, process, args);
      const call = describeCall(args);
      incarnation.report('exited', call);
      throw new TargetExit(call);
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
    replace(key, (original) => (...args) => {
      const [event, listener] = args as [string | symbol, Method];
      current()?.listeners.push({ event, listener });
      return time.currentIsDead() ? process : Reflect.apply(original, process, [event, listener]);
    });
  }

  syncBuiltinESMExports();

  return {
    watch: (actor, report) => void watched.set(actor, { report, listeners: [] }),
    forget: (actor) => {
      for (const { event, listener } of watched.get(actor)?.listeners ?? []) process.removeListener(event, listener);
      watched.delete(actor);
    },
    uninstall: () => {
      process.removeListener('unhandledRejection', onUnhandledRejection);
      process.removeListener('uncaughtException', onUncaughtException);
      patches.restore();
      syncBuiltinESMExports();
    },
  };
}

function text(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : typeof value;
}

/** Returns one line: the name, the message's first line, the cause, and the innermost line of code outside Node and packages. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line) && !line.includes('node:'));
  const frame = frames.find((line) => !line.includes('/node_modules/')) ?? frames[0];
  const [, file, line] = FRAME.exec(frame ?? '') ?? [];
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  const [message = ''] = error.message.split('\n');
  return `${error.name}: ${message}${cause}${file === undefined ? '' : ` at ${shortPath(file)}:${line}`}`;
}
