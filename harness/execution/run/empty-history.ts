/** Returns the history of a run that left no records. It contains only how the run ended: `detail`. */
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
