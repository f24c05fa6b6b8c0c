import type { RunOnHost } from '../run/host.ts';

/** The run that currently uses a host; events of the host are passed to it. */
export class CurrentRun {
  run: RunOnHost | undefined;

  /** Begins a run; the returned function ends it. */
  readonly begin = (run: RunOnHost): (() => void) => {
    this.run = run;
    return () => {
      if (this.run === run) this.run = undefined;
    };
  };
}
