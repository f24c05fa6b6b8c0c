/**
 * Counts the traffic of a port's connections, including handshakes, which cause no request.
 *
 * A client that waits for the other end of a handshake sleeps, and looks idle.
 */

/** The used part of a socket. */
export interface Connection {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  once(event: 'close', listener: () => void): unknown;
}

export class Traffic {
  readonly #open = new Set<Connection>();
  #past = 0;

  /** Counts the traffic of a connection from now on; opening it counts as well. */
  add(connection: Connection): void {
    this.#past++;
    this.#open.add(connection);
    connection.once('close', () => {
      this.#open.delete(connection);
      this.#past += bytesOf(connection);
    });
  }

  /** Returns a number that increases with everything sent or received, and with nothing else. */
  get moved(): number {
    let moved = this.#past;
    for (const connection of this.#open) moved += bytesOf(connection);
    return moved;
  }
}

function bytesOf({ bytesRead, bytesWritten }: Connection): number {
  return bytesRead + bytesWritten;
}
