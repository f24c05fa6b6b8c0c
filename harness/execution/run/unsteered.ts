/** Thrown when the target turns out to live in a way that virtual time does not steer: whoever started it may start it in real time. */
export class Unsteered extends Error {
  override readonly name = 'Unsteered';

  /** @param what What it waits by, as its launcher calls it: `timerfd_settime`. */
  constructor(what: string) {
    super(`the program uses ${what}, which virtual time does not steer`);
  }
}
