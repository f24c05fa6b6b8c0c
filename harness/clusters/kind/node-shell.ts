/**
 * A shell in the node of a kind cluster. Commands are sent to one running shell, which takes a millisecond; starting a program takes a
 * hundred milliseconds.
 *
 * It always ends with this process: its standard input is our pipe. Start at {@link NodeShell}.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { HarnessError } from '../../model/errors.ts';
import type { KindAccess } from '../../model/kind-options.ts';

/** The terminator of answers. */
const END = 'stalemate-end';

export class NodeShell {
  readonly #child: ChildProcess;
  readonly #waiting: { readonly answer: (text: string) => void; readonly fail: (why: string) => void }[] = [];
  #text = '';
  #ended: string | undefined;

  constructor({ engine, node }: Pick<KindAccess, 'engine' | 'node'>) {
    this.#child = spawn(engine, ['exec', '-i', node, 'sh'], { detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
    const ended = (why: string): void => {
      this.#ended ??= why;
      for (const { fail } of this.#waiting.splice(0)) fail(why);
    };
    this.#child.once('error', (error) => ended(error.message));
    this.#child.once('exit', (code) => ended(`it ended with ${code ?? 'a signal'}`));
    this.#child.stdin?.on('error', () => {});
    this.#child.stdout?.setEncoding('utf8').on('data', (piece: string) => this.#take(piece));
  }

  /**
   * Runs a script and resolves with its output.
   *
   * @throws {CLUSTER_UNAVAILABLE} if the shell has ended.
   */
  ask(script: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void =>
        reject(new HarnessError('CLUSTER_UNAVAILABLE', `the node of the kind cluster has no shell any more: ${why}`));
      if (this.#ended !== undefined) {
        fail(this.#ended);
        return;
      }
      this.#waiting.push({ answer: resolve, fail });
      this.#child.stdin?.write(`( ${script}\n) 2>&1 </dev/null; echo ${END}\n`);
    });
  }

  close(): void {
    this.#child.stdin?.end();
  }

  #take(piece: string): void {
    this.#text += piece;
    for (;;) {
      const at = this.#text.indexOf(`${END}\n`);
      if (at < 0) return;
      const answer = this.#text.slice(0, at);
      this.#text = this.#text.slice(at + END.length + 1);
      this.#waiting.shift()?.answer(answer);
    }
  }
}
