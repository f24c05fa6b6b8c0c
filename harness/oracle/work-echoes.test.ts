import { describe, expect, it } from 'vitest';
import type { HistoryBuilder } from './test-history.ts';
import { historyBuilder, manifest } from './test-history.ts';
import { workEchoes } from './work-echoes.ts';

const WIDGETS = 'widgets.example.com';
const MAPS = 'configmaps';
const ROLE = `${WIDGETS}:web`;

function started(size = 1): HistoryBuilder {
  const h = historyBuilder();
  h.create('user', WIDGETS, manifest('Widget', 'web', { spec: { size } }));
  return h;
}

function work(h: HistoryBuilder, size: string): void {
  h.create('controller', MAPS, manifest('ConfigMap', 'web-settings', { data: { size } }));
}

function report(h: HistoryBuilder, observedGeneration: number, phase = 'Ready'): void {
  h.patch('controller', WIDGETS, 'web', { status: { observedGeneration, phase } }, { subresource: 'status' });
}

function changed(): HistoryBuilder {
  const h = started();
  work(h, '1');
  report(h, 1);
  h.edit('user', WIDGETS, 'web', ['spec', 'size'], 2);
  return h;
}

describe('work echoes', () => {
  it('are leaves of children that repeat the spec at every claim, with what the status says then', () => {
    const h = changed();
    h.edit('controller', MAPS, 'web-settings', ['data', 'size'], '2');
    report(h, 2);

    expect(workEchoes([h.build()])).toEqual({
      [ROLE]: {
        echoes: [{ child: `${MAPS}:web-settings`, leaf: 'data.size', spec: 'spec.size' }],
        said: ['status.phase "Ready"'],
      },
    });
  });

  it('are none of a target that reports before it works', () => {
    const late = started();
    report(late, 1);
    work(late, '1');
    const early = changed();
    report(early, 2);
    early.edit('controller', MAPS, 'web-settings', ['data', 'size'], '2');

    for (const h of [late, early]) {
      const done = changed();
      done.edit('controller', MAPS, 'web-settings', ['data', 'size'], '2');
      report(done, 2);
      expect(workEchoes([done.build(), h.build()])).toEqual({});
    }
  });

  it('need two values, and a child that the target made', () => {
    const h = started();
    work(h, '1');
    report(h, 1);
    expect(workEchoes([h.build()])).toEqual({});

    const foreign = started();
    foreign.create('user', MAPS, manifest('ConfigMap', 'web-settings', { data: { size: '1' } }));
    report(foreign, 1);
    foreign.edit('user', WIDGETS, 'web', ['spec', 'size'], 2);
    foreign.edit('user', MAPS, 'web-settings', ['data', 'size'], '2');
    report(foreign, 2);
    expect(workEchoes([foreign.build()])).toEqual({});
  });
});
