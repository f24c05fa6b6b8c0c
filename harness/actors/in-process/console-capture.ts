/**
 * Captures the target's output line by line instead of printing it to the terminal, which thousands of runs share.
 *
 * Owns: `process.stdout` and `process.stderr`, and therefore `console`, while an incarnation's code runs. Loggers that write to the file
 * descriptor directly are not captured. Install once per worker.
 */
import { Patches } from '../../determinism/patches.ts';
import type { VirtualTime } from '../../determinism/virtual-time.ts';
import type { ActorId } from '../../model/actor.ts';

export interface ConsoleCapture {
  uninstall(): void;
}

/** Starts capturing. `onLine` gets the output of running incarnations; output of ended ones is dropped. All other code prints as before. */
export function captureConsole(time: VirtualTime, onLine: (actor: ActorId, line: string) => void): ConsoleCapture {
  const patches = new Patches();
  for (const stream of [process.stdout, process.stderr]) {
    const original = Reflect.get(stream, 'write') as (...args: readonly unknown[]) => boolean;
    patches.value(stream, 'write', (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
      const actor = time.currentOwner();
      if (actor === undefined) return Reflect.apply(original, stream, [chunk, ...rest]);
      if (!time.currentIsDead()) {
        const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
        for (const line of text.replace(/\n$/, '').split('\n')) onLine(actor, line);
      }
      const done = rest.at(-1);
      if (typeof done === 'function') process.nextTick(done);
      return true;
    });
  }
  return { uninstall: () => patches.restore() };
}
