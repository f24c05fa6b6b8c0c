/** Explains why a module sent no request: what its start() was waiting for, if known, and how to fix it. */
import type { UncontrolledKind, UncontrolledUse } from '../../determinism/uncontrolled.ts';
import { roleOf } from '../../model/actor.ts';
import type { History } from '../../model/history.ts';

const WAITED_FOR: { readonly [kind in UncontrolledKind]: string } = {
  file: 'a file',
  network: 'a connection or input',
  native: 'native work',
  process: 'another process or thread',
  'real-timer': 'a real timer',
};
const INSTEAD: { readonly [kind in UncontrolledKind]: string } = {
  file: 'read it when the module is loaded, or with readFileSync',
  network: 'start the informers first, or give it a client that needs no connection',
  native: 'use its synchronous form, or do it when the module is loaded',
  process: 'leave it out of what the module starts',
  'real-timer': 'use the timers of node:timers, which stalemate controls',
};

/** Returns the explanation. `uses` is the real I/O found in a watched run. */
export function silentText({ processes }: History, uses: readonly UncontrolledUse[]): string {
  const hasStarted = processes.some(({ kind, actor }) => kind === 'started' && roleOf(actor) === 'target');
  const awaited = uses.find((use) => use.pendingAtQuiescence) ?? uses.at(-1);
  if (!hasStarted && awaited !== undefined) {
    const { kind, type, where } = awaited;
    const at = where === '' ? '' : ` at ${where}`;
    return `the target sent no request in an undisturbed run, because its start() waits for ${WAITED_FOR[kind]} (${type}${at}), and runs do not wait for real I/O; ${INSTEAD[kind]}`;
  }
  if (!hasStarted)
    return (
      'the target sent no request in an undisturbed run, because its start() has not ended and waits for something other than a request or a timer; ' +
      'start its informers first, and wait for signals and other input elsewhere'
    );
  return (
    'the target sent no request in an undisturbed run; expected it to list or watch something through the kubeConfig it was given: ' +
    'does start() use that kubeConfig, and does it start its informers?'
  );
}
