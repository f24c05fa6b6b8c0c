/**
 * Finds what the deterministic mode cannot control: real timers, sockets, files, processes, native work.
 *
 * Owns: an async_hooks watch for one check run, which is too slow for trials. Native work (`webcrypto.subtle`, zlib) is not in any list of
 * active resources and shows only when it is created, so the watch records creations. Limits: synchronous work (`readFileSync`, `execSync`)
 * creates no resource, and is as deterministic as its result.
 */
import { createHook, executionAsyncId } from 'node:async_hooks';
import { shortPath } from './source-path.ts';
import { isHarness, userFrame } from './user-frame.ts';
import type { VirtualTime } from './virtual-time.ts';

export type UncontrolledKind = 'real-timer' | 'network' | 'file' | 'process' | 'native';

export interface UncontrolledUse {
  readonly kind: UncontrolledKind;
  /** The resource's type in Node, such as `TCPWRAP`. */
  readonly type: string;
  /** The line of the target's code that created the resource, as `file:line`; empty if no such line was found. */
  readonly where: string;
  readonly times: number;
  /** Whether the resource was still in use when everything else was at rest, so that the next decision may come before or after its end. */
  readonly pendingAtQuiescence: boolean;
  /** Whether it was created after the target had started: file reads and look-ups during start-up alone are harmless. */
  readonly afterStart: boolean;
}

export interface UncontrolledWatch {
  /** Call once the target has started and its start-up work is done. */
  started(): void;
  /** Call after every drain, when no work that can be counted is in progress. */
  quiescent(): void;
  /** Ends the watch. Returns the uses by kind, type and line, in order of first appearance. */
  stop(): readonly UncontrolledUse[];
}

/** Reports whether a use can make two runs differ. */
export function disturbs(use: UncontrolledUse): boolean {
  return use.afterStart || use.kind === 'real-timer';
}

const KINDS: readonly (readonly [UncontrolledKind, RegExp])[] = [
  ['real-timer', /^Timeout$/],
  ['network', /^(TCP|TLS|UDP|PIPE|HTTP|HTTP2|DNS|QUIC|QUERYWRAP|GETADDRINFO|GETNAMEINFO)/],
  ['file', /^(FSREQ|FSEVENT|STATWATCHER|DIRHANDLE|FILEHANDLE|BLOBREADER)/],
  ['process', /^(PROCESSWRAP|WORKER)/],
  ['native', /^ZLIB$|REQUEST$|Job$|JOB$|^MESSAGEPORT$|^WASI|^SQLITE/],
];

interface Birth {
  readonly use: { -readonly [key in keyof UncontrolledUse]: UncontrolledUse[key] };
  over: boolean;
}

/** Starts the watch. If no line of the target's code is on the stack, `time` decides whether the target's code was running. */
export function watchUncontrolled(time?: VirtualTime): UncontrolledWatch {
  const uses = new Map<string, Birth['use']>();
  const births = new Map<number, Birth>();
  /** The line of the target's code that led to each resource: continuations have no such line on their own stack. */
  const origins = new Map<number, string>();
  let started = false;

  const born = (asyncId: number, type: string): void => {
    const where = userFrame() ?? origins.get(executionAsyncId());
    if (where !== undefined) origins.set(asyncId, where);
    const kind = KINDS.find(([, types]) => types.test(type))?.[0];
    if (kind === undefined) return;
    const ofTarget = where !== undefined && !where.includes('node_modules') && !isHarness(where);
    if (!ofTarget && (time === undefined || time.currentOwner() === undefined)) return;
    const key = `${kind} ${type} ${where ?? ''}`;
    let use = uses.get(key);
    if (use === undefined) {
      const line = where === undefined ? '' : shortPath(where);
      use = { kind, type, where: line, times: 0, pendingAtQuiescence: false, afterStart: false };
      uses.set(key, use);
    }
    use.times++;
    use.afterStart ||= started;
    births.set(asyncId, { use, over: false });
  };

  // Creates the console's streams now: otherwise the target's first output would create them, and they would be reported as its network
  // use.
  void process.stdout;
  void process.stderr;
  const hook = createHook({
    init: born,
    after: (asyncId) => {
      const birth = births.get(asyncId);
      if (birth !== undefined) birth.over = true;
    },
    destroy: (asyncId) => void births.delete(asyncId),
    promiseResolve: (asyncId) => void births.delete(asyncId),
  }).enable();

  const pending = (): readonly Birth[] => [...births.values()].filter((birth) => !birth.over);
  return {
    started: () => {
      started = true;
      for (const { use } of pending()) use.afterStart = true;
    },
    quiescent: () => {
      for (const { use } of pending()) use.pendingAtQuiescence = true;
    },
    stop: () => {
      hook.disable();
      return [...uses.values()];
    },
  };
}
