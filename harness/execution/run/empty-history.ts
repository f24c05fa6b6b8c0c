/** The history of a run that nobody lived to tell: all that is known is how it ended. */
import type { History } from '../../model/history.ts';

export function emptyHistory(detail: string): History {
  return {
    version: 1,
    phases: [],
    operations: [],
    revisions: [],
    deliveries: [],
    streamEnds: [],
    processes: [{ at: 0, timeMs: 0, actor: 'controller', kind: 'exited', detail }],
    decisions: [],
    settlement: { result: 'never-started', detail },
    steps: 0,
    names: {},
    missed: [],
    probes: [],
  };
}
