import { describe, expect, it } from 'vitest';
import type { History } from '../model/history.ts';
import { eventRows } from './event-rows.ts';
import { lostUpdate } from './test-findings.ts';

const FRAMES = [
  '\t/root/go/pkg/mod/sigs.k8s.io/controller-runtime@v0.20.2/pkg/internal/controller/controller.go:347',
  'sigs.k8s.io/controller-runtime/pkg/internal/controller.(*Controller[...]).reconcileHandler',
  '    at Object.<anonymous> (/app/controller.js:3:9)',
  '  File "/app/handlers.py", line 12, in converge',
  '\t... 12 more',
];
const ERROR = 'ERROR Reconciler error (default/web): the object has been modified';

function logged(lines: readonly string[], property: string): readonly string[] {
  const logs: History['logs'] = lines.map((line, n) => ({ actor: 'controller', line, at: n + 1, timeMs: n + 1 }));
  const { record, violation } = lostUpdate();
  const about = { ...violation, signature: { ...violation.signature, property }, at: 1_000 };
  const rows = eventRows({ ...record, processes: [], logs }, 0, about, new Set(['default/web']));
  return rows.map(({ text }) => text);
}

describe('the lines of a story that the target printed', () => {
  it('leave out the frames of a stack trace', () => {
    expect(logged([ERROR, ...FRAMES], 'convergence')).toEqual([`“${ERROR}”`]);
  });

  it('keep them in the story of a crash', () => {
    expect(logged(FRAMES, 'survival')).toHaveLength(FRAMES.length);
  });

  it('keep whole sentences with a path in them', () => {
    expect(logged(['created apps/v1.Deployment web'], 'convergence')).toEqual(['“created apps/v1.Deployment web”']);
  });
});
