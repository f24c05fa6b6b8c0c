/** One command in a container, over any transport: its input, output and exit status. */
import type { JsonObject } from '../../../objects/object.ts';
import type { CommandSession } from '../../../wire/session.ts';
import { failureStatus } from '../../../wire/status.ts';

/** The client's ends of a command's streams. */
export interface CommandWire {
  stdout(piece: Buffer): void;
  stderr(piece: Buffer): void;
  /** Sends the exit status; called once, at the end. */
  status(status: JsonObject): void;
}

const SUCCESS: JsonObject = { metadata: {}, status: 'Success' };

export class RunningCommand {
  readonly #session: CommandSession;
  readonly #wire: CommandWire;
  #stdin = '';
  #over = false;

  /** Starts the command immediately. */
  constructor(session: CommandSession, wire: CommandWire) {
    this.#session = session;
    this.#wire = wire;
    this.#goOn(!session.stdin);
  }

  reads(piece: Buffer): void {
    this.#stdin += piece.toString('latin1');
    this.#goOn(false);
  }

  /** Called at the end of the input. */
  readsEnd(): void {
    this.#goOn(true);
  }

  #goOn(ended: boolean): void {
    if (this.#over) return;
    const { tty, stdout, stderr, command } = this.#session;
    const result = this.#session.run(Buffer.from(this.#stdin, 'latin1').toString(), ended);
    if (result === undefined) return;
    this.#over = true;
    if ('failed' in result) {
      this.#wire.status(failureStatus(500, 'InternalError', result.failed));
      return;
    }
    const { exitCode } = result;
    const out = tty ? result.stdout + result.stderr : result.stdout;
    if (stdout && out !== '') this.#wire.stdout(Buffer.from(out));
    if (stderr && !tty && result.stderr !== '') this.#wire.stderr(Buffer.from(result.stderr));
    this.#wire.status(exitCode === 0 ? SUCCESS : failed(command, exitCode));
  }
}

/** Returns a failure with containerd's message. */
function failed(command: readonly string[], exitCode: number): JsonObject {
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: error executing command [${command.join(' ')}], exit code ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}
