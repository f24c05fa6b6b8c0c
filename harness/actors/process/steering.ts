/**
 * The clock of one life, as its launcher steers it (`launcher/steer.h`): what the program waits for can be made to come at once.
 *
 * Owns: the lines that pass between us and the launcher. Does not own: when the clock jumps (`execution/hosts/`). Start at {@link Steering}.
 */
import type { Duplex } from 'node:stream';

/** What a life does: something, or nothing for so many milliseconds of its clock (`null`: until it is told something). */
export type Doing = 'awake' | { readonly forMs: number | null };

const NS_PER_MS = 1e6;
/** One that is not steered lives in real time, and nobody knows what it waits for. */
const UNKNOWN: Doing = { forMs: null };

export class Steering {
  readonly #socket: Duplex;
  readonly #waiting: ((line: string) => void)[] = [];
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

  /** What it does now; it may go on doing nothing only as long as nobody tells it anything. */
  async look(): Promise<Doing> {
    const [word, left] = (await this.#ask('look')).split(' ');
    if (word === 'awake') return 'awake';
    return left === undefined || left === '-' ? UNKNOWN : { forMs: Number(left) / NS_PER_MS };
  }

  /** Sets its clock ahead. Resolves with how many of its waits that ended. */
  async jump(byMs: number): Promise<number> {
    const [, ended] = (await this.#ask(`jump ${Math.round(byMs * NS_PER_MS)}`)).split(' ');
    return Number(ended ?? 0);
  }

  #ask(line: string): Promise<string> {
    if (this.#over) return Promise.resolve('');
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#socket.write(`${line}\n`);
    });
  }

  #take(piece: string): void {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('lost ')) this.#onLost(line.slice('lost '.length));
      else this.#waiting.shift()?.(line);
    }
  }

  #end(): void {
    this.#over = true;
    for (const resolve of this.#waiting.splice(0)) resolve('');
  }
}
