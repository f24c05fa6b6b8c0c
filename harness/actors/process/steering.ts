/**
 * The clock of one life, as its launcher steers it (`launcher/steer.h`): what the program waits for can be made to come at once.
 *
 * Owns: the lines that pass between us and the launcher. Does not own: when the clock jumps (`execution/hosts/`). Start at {@link Steering}.
 */
import type { Duplex } from 'node:stream';

/** What a program does. Times are ms of the run. */
export interface Doing {
  /** No thread runs, and no byte is on its way in its network. */
  readonly asleep: boolean;
  /** What its clock shows. */
  readonly nowMs: number;
  /** When it goes on by itself; `null`: not before it gets input, or unknown. */
  readonly untilMs: number | null;
  /** How many waits have ended because their time had come. */
  readonly ended: number;
}

const NS_PER_MS = 1e6;

export class Steering {
  readonly #socket: Duplex;
  readonly #waiting: ((doing: Doing | undefined) => void)[] = [];
  readonly #onLost: (what: string) => void;
  #rest = '';
  #over = false;

  /** @param onLost Called once the program waits in a way that is not steered, with the name of that. */
  constructor(socket: Duplex, onLost: (what: string) => void) {
    this.#socket = socket;
    this.#onLost = onLost;
    socket.setEncoding('utf8');
    socket.on('data', (piece: string) => this.#take(piece));
    socket.on('error', () => this.#end());
    socket.on('close', () => this.#end());
  }

  /**
   * Sets its clock to `toMs` unless it is there already, lets it do what is due, and resolves once it sleeps, or has not slept for
   * `withinMs` of real time; with nothing once it has ended.
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
