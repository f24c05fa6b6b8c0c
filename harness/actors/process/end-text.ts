/** Describes how a process ended. Pure. */
import { constants } from 'node:os';

/** Describes how a process ended. The namespace's first process reports a signal as an exit code, as shells do. */
export function endText(code: number | null, signal: NodeJS.Signals | null): string {
  if (code === null) return `by ${signal ?? 'a signal'}`;
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return name === undefined ? `with code ${code}` : `by ${name}`;
}
