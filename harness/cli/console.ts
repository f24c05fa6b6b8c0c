/** Output of commands: results to stdout, everything else to stderr. */
import { calledAs } from './called.ts';
import { OutputGuard } from './output-guard.ts';

export interface Console {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly color: boolean;
  readonly width: number;
  readonly cwd: string;
  /** The beginning of printed commands: `npx stalemate`, or how this process was invoked. */
  readonly called: string;
  /** Hides the secrets of these sources in all further output. */
  readonly learn?: (sources: object) => void;
}

const WIDTH = 100;

/** Returns the process's own streams. Colour depends on NO_COLOR, FORCE_COLOR and whether stdout is a terminal. */
export function processConsole(): Console {
  const { env, stdout, stderr } = process;
  const forced = env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0';
  const silenced = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  const guard = new OutputGuard();
  return {
    out: (text) => void stdout.write(guard.safe(text)),
    err: (text) => void stderr.write(guard.safe(text)),
    learn: (sources) => guard.learn(sources),
    color: !silenced && (forced || stdout.isTTY),
    // A pseudo-terminal without a size (script, docker -t) reports 0 columns.
    width: (stdout.isTTY ? stdout.columns : 0) || Number(env['COLUMNS'] ?? '') || WIDTH,
    cwd: process.cwd(),
    called: calledAs(process.argv[1], process.cwd(), env['PATH']),
  };
}
