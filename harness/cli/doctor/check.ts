/** One requirement of runs, and its state on this machine. */
import { HarnessError } from '../../model/errors.ts';

/** `absent`: missing, but only some runs need it. `wrong`: the requested setup cannot work. */
export type CheckState = 'ok' | 'absent' | 'wrong';

export interface Check {
  /** For example `kubectl`. */
  readonly name: string;
  readonly state: CheckState;
  readonly found: string;
  /** The command or change that meets the requirement; absent if there is nothing to fix. */
  readonly fix?: string;
}

export function ok(name: string, found: string): Check {
  return { name, state: 'ok', found };
}

export function lacking(name: string, found: string, fix: string, needed: boolean): Check {
  return { name, state: needed ? 'wrong' : 'absent', found, fix };
}

/** Runs a probe that throws if something is missing: the first part of its error says what was found, the rest is the fix. */
export async function probed(name: string, needed: boolean, probe: () => string | Promise<string>): Promise<Check> {
  try {
    return ok(name, await probe());
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    const [found = '', ...rest] = error.message.split('; ');
    return lacking(name, found, rest.join('; ') || found, needed);
  }
}
