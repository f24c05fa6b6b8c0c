/**
 * How much has moved over the connections of a port: handshakes too, which no request tells of.
 *
 * A client that opens a connection sleeps while it waits for the other end of the handshake, and looks as if it had nothing to do.
 */

/** What is asked of a socket. */
export interface Connection {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  once(event: 'close', listener: () => void): unknown;
}

export class Traffic {
  readonly #open = new Set<Connection>();
  #past = 0;

  /** Counts a connection from now on; opening one counts by itself. */
  add(connection: Connection): void {
    this.#past++;
    this.#open.add(connection);
    connection.once('close', () => {
      this.#open.delete(connection);
      this.#past += bytesOf(connection);
    });
  }

  /** Grows with whatever is sent or received, and with nothing else. */
  get moved(): number {
    let moved = this.#past;
    for (const connection of this.#open) moved += bytesOf(connection);
    return moved;
  }
}

function bytesOf({ bytesRead, bytesWritten }: Connection): number {
  return bytesRead + bytesWritten;
}
