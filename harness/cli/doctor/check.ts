/** One thing that a run may need, and its state on this machine. */
import { HarnessError } from '../../model/errors.ts';

/** `absent`: not there, and only some runs need it. `wrong`: what is asked for cannot work. */
export type CheckState = 'ok' | 'absent' | 'wrong';

export interface Check {
  /** `kubectl` */
  readonly name: string;
  readonly state: CheckState;
  readonly found: string;
  /** The command or the change that fixes it; absent where nothing has to be fixed. */
  readonly fix?: string;
}

export function ok(name: string, found: string): Check {
  return { name, state: 'ok', found };
}

export function lacking(name: string, found: string, fix: string, needed: boolean): Check {
  return { name, state: needed ? 'wrong' : 'absent', found, fix };
}

/** What a probe says that throws where something is missing: its first sentence is what was found, the rest what to do. */
export async function probed(name: string, needed: boolean, probe: () => string | Promise<string>): Promise<Check> {
  try {
    return ok(name, await probe());
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    const [found = '', ...rest] = error.message.split('; ');
    return lacking(name, found, rest.join('; ') || found, needed);
  }
}
