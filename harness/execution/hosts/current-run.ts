import type { RunOnHost } from '../run/host.ts';

/** The run that a host is used by, and to which it passes on what it hears of. */
export class CurrentRun {
  run: RunOnHost | undefined;

  /** Another run begins; the returned function says that it is over. */
  readonly begin = (run: RunOnHost): (() => void) => {
    this.run = run;
    return () => {
      if (this.run === run) this.run = undefined;
    };
  };
}
