/**
 * The clock of one incarnation, controlled through its launcher (`launcher/steer.h`): waits of the program can be made to end at once.
 *
 * Owns: the protocol with the launcher. Does not own: when the clock jumps (`execution/hosts/`). Start at {@link Steering}.
 */
import type { Duplex } from 'node:stream';

/** The state of a program. Times are in ms on the clock of the run. */
export interface Doing {
  /** True if no thread is running, and no bytes are in transit in its network. */
  readonly asleep: boolean;
  /** The time on its clock. */
  readonly nowMs: number;
  /** When it will continue by itself; `null` if it continues only on input, or if that is unknown. */
  readonly untilMs: number | null;
  /** The number of waits that ended because their timeout expired. */
  readonly ended: number;
}

const NS_PER_MS = 1e6;

export class Steering {
  readonly #socket: Duplex;
  readonly #waiting: ((doing: Doing | undefined) => void)[] = [];
  readonly #onLost: (what: string) => void;
  #rest = '';
  #over = false;

  /** @param onLost - Called once the program waits in a way that is not controlled, with its name, such as `timer_settime`. */
  constructor(socket: Duplex, onLost: (what: string) => void) {
    this.#socket = socket;
    this.#onLost = onLost;
    socket.setEncoding('utf8');
    socket.on('data', (piece: string) => this.#take(piece));
    socket.on('error', () => this.#end());
    socket.on('close', () => this.#end());
  }

  /**
   * Advances the program's clock to `toMs` unless it is already there, and lets the program do what is due. Resolves once it sleeps, or
   * after `withinMs` of real time; with undefined once it has ended.
   */
  rest(toMs: number, withinMs: number): Promise<Doing | undefined> {
    if (this.#over) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#socket.write(`rest ${Math.max(0, Math.round(toMs * NS_PER_MS))} ${Math.ceil(withinMs)}\n`);
    });
  }

  #take(piece: string): void {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('lost ')) this.#onLost(line.slice('lost '.length));
      else this.#waiting.shift()?.(doingOf(line));
    }
  }

  #end(): void {
    this.#over = true;
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
  }
}

function doingOf(line: string): Doing {
  const [word, now, until, ended] = line.split(' ');
  return {
    asleep: word === 'asleep',
    nowMs: Number(now) / NS_PER_MS,
    untilMs: until === '-' ? null : Number(until) / NS_PER_MS,
    ended: Number(ended),
  };
}
