/**
 * Counts the traffic of a port's connections, including handshakes, which cause no request.
 *
 * Without handshakes, a client that waits for the other end of a handshake would look idle.
 */

/** The part of a socket that is used. */
export interface Connection {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  once(event: 'close', listener: () => void): unknown;
}

export class Traffic {
  readonly #open = new Set<Connection>();
  #past = 0;

  /** Counts the traffic of a connection from now on; the new connection itself counts as well. */
  add(connection: Connection): void {
    this.#past++;
    this.#open.add(connection);
    connection.once('close', () => {
      this.#open.delete(connection);
      this.#past += bytesOf(connection);
    });
  }

  /** Returns a number that increases whenever anything is sent or received, and only then. */
  get moved(): number {
    let moved = this.#past;
    for (const connection of this.#open) moved += bytesOf(connection);
    return moved;
  }
}

function bytesOf({ bytesRead, bytesWritten }: Connection): number {
  return bytesRead + bytesWritten;
}
