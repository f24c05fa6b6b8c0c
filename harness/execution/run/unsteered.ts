/** Thrown if the target waits in a way that virtual time does not control; the caller may start it in real time instead. */
export class Unsteered extends Error {
  override readonly name = 'Unsteered';

  /** @param what The call with which the program waits, as named by its launcher, such as `timerfd_settime`. */
  constructor(what: string) {
    super(`the program uses ${what}, which virtual time does not steer`);
  }
}
