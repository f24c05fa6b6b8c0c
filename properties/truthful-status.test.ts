import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { setAt } from '../harness/model/edit.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { historyBuilder, manifest } from '../harness/oracle/test-history.ts';
import { truthfulStatus } from './truthful-status.ts';

const WIDGETS = 'widgets.example.com';
const ECHOES = { echoes: { [`${WIDGETS}:web`]: [{ status: 'status.image', spec: 'spec.image' }] } };

function started(): { h: HistoryBuilder; first: KubeObject } {
  const h = historyBuilder();
  const first = h.create('user', WIDGETS, manifest('Widget', 'web', { spec: { image: 'app:v1' } }));
  h.deliver('controller', WIDGETS);
  h.phase('contention');
  return { h, first };
}

function changeImage(h: HistoryBuilder, image: string): void {
  h.edit('user', WIDGETS, 'web', ['spec', 'image'], image);
}

/** Writes the status with a merge patch, which has no version and is therefore never rejected. */
function report(h: HistoryBuilder, status: JsonObject, actor = 'controller'): void {
  h.patch(actor, WIDGETS, 'web', { status }, { subresource: 'status' });
}

function classes(h: HistoryBuilder, reference: JsonObject | null = {}): readonly string[] {
  const result = truthfulStatus.check(h.build({ reference }));
  return result.result === 'violated' ? result.violations.map(({ signature }) => signature.class) : [result.result];
}

describe('truthful-status', () => {
  it('accepts a generation that was shown before it is reported, and one that is behind', () => {
    const { h } = started();
    report(h, { observedGeneration: 1, image: 'app:v1' });
    changeImage(h, 'app:v2');
    report(h, { observedGeneration: 1, ready: true });
    h.deliver('controller', WIDGETS);
    report(h, { observedGeneration: 2, image: 'app:v2' });

    expect(classes(h, ECHOES)).toEqual(['holds']);
  });

  it('convicts a generation beyond the object’s own', () => {
    const { h } = started();
    report(h, { observedGeneration: 2 });

    expect(truthfulStatus.check(h.build())).toMatchObject({
      result: 'violated',
      violations: [
        {
          signature: { class: 'ahead-of-generation', kind: WIDGETS, field: 'status.observedGeneration' },
          sentence:
            'controller reported status.observedGeneration of widgets.example.com/web as 2 (version 102), while its generation is 1',
        },
      ],
    });
  });

  it('warns of a number meant for an earlier object of the same name', () => {
    const { h } = started();
    changeImage(h, 'app:v2');
    h.deliver('controller', WIDGETS);
    h.delete('user', WIDGETS, 'web');
    h.create('user', WIDGETS, manifest('Widget', 'web', { spec: { image: 'app:v1' } }));
    report(h, { observedGeneration: 2 });
    // The next reconcile corrects the generation, which is not a second violation.
    h.deliver('controller', WIDGETS);
    report(h, { observedGeneration: 1 });

    expect(truthfulStatus.check(h.build())).toMatchObject({
      violations: [
        {
          severity: 'warning',
          sentence: expect.stringMatching(
            / as 2 .*generation is 1: the number is that of the deleted object of this name$/,
          ),
        },
      ],
    });
  });

  it('convicts a generation that had not reached the target', () => {
    const { h } = started();
    changeImage(h, 'app:v2');
    report(h, { observedGeneration: 2 });

    expect(truthfulStatus.check(h.build())).toMatchObject({
      violations: [
        { signature: { class: 'never-delivered' }, sentence: expect.stringContaining('it had seen 1 at most') },
      ],
    });
  });

  it('lets a target know the generation that it made itself, and what an earlier incarnation was told', () => {
    const { h, first } = started();
    h.begin('controller', 'update', WIDGETS, 'web', { body: setAt(first, ['spec', 'image'], 'app:v9') }).lose();
    report(h, { observedGeneration: 2 });
    expect(classes(h)).toEqual(['holds']);

    const other = started().h;
    changeImage(other, 'app:v2');
    other.deliver('controller', WIDGETS);
    other.process('controller', 'crashed');
    report(other, { observedGeneration: 2, image: 'app:v2' }, 'controller~2');
    expect(classes(other, ECHOES)).toEqual(['holds']);
  });

  it('convicts a generation that goes back, and not one that is put back after somebody else had changed it', () => {
    const { h } = started();
    changeImage(h, 'app:v2');
    h.deliver('controller', WIDGETS);
    report(h, { observedGeneration: 2 });
    report(h, { observedGeneration: 1 });
    expect(classes(h)).toEqual(['went-back']);

    const foreign = started().h;
    changeImage(foreign, 'app:v2');
    foreign.deliver('controller', WIDGETS);
    foreign.patch('writer-1', WIDGETS, 'web', { status: { observedGeneration: 2 } }, { subresource: 'status' });
    report(foreign, { observedGeneration: 1 });
    expect(classes(foreign)).toEqual(['holds']);
  });

  it('judges the generations of conditions, each against its own past', () => {
    const { h } = started();
    changeImage(h, 'app:v2');
    h.deliver('controller', WIDGETS);
    const condition = (type: string, generation: number): JsonObject => ({ type, observedGeneration: generation });
    report(h, { conditions: [condition('Ready', 2), condition('Synced', 1)] });
    expect(classes(h)).toEqual(['holds']);
    report(h, { conditions: [condition('Ready', 1), condition('Synced', 1)] });
    expect(classes(h)).toEqual(['went-back']);
  });

  it('leaves numbers alone that are about something else', () => {
    const { h } = started();
    report(h, { upgrade: { observedGeneration: 7 } });

    expect(classes(h)).toEqual(['holds']);
  });

  it('convicts the generation of a fresh read beside what the status repeats of an older spec', () => {
    const { h } = started();
    report(h, { observedGeneration: 1, image: 'app:v1' });
    changeImage(h, 'app:v2');
    h.get('controller', WIDGETS, 'web');
    report(h, { observedGeneration: 2 });

    expect(truthfulStatus.check(h.build({ reference: ECHOES }))).toMatchObject({
      violations: [
        {
          signature: { class: 'not-acted-upon' },
          sentence: expect.stringContaining('its status.image is still about "app:v1" of generation 1, not "app:v2"'),
        },
      ],
    });
    // If the references do not show that the status repeats the image, its value may be an observation.
    expect(classes(h)).toEqual(['holds']);
  });

  it('says nothing of what a target reports once its watch has told it of the newer spec', () => {
    const { h } = started();
    report(h, { observedGeneration: 1, image: 'app:v1' });
    changeImage(h, 'app:v2');
    h.deliver('controller', WIDGETS);
    report(h, { observedGeneration: 2 });

    expect(classes(h, ECHOES)).toEqual(['holds']);
  });

  describe('with a child that repeats the spec', () => {
    const MAPS = 'configmaps';
    const WORK = {
      ownedLeaves: { [`${WIDGETS}:web`]: ['status.phase', 'status.observedGeneration'] },
      workEchoes: {
        [`${WIDGETS}:web`]: {
          echoes: [{ child: `${MAPS}:web-settings`, leaf: 'data.image', spec: 'spec.image' }],
          said: ['status.phase "Ready"'],
        },
      },
    };
    const fix = (h: HistoryBuilder, image: string, actor = 'controller'): unknown =>
      h.edit(actor, MAPS, 'web-settings', ['data', 'image'], image);
    /** The target has worked on generation 1, and has read generation 2. */
    const behind = (deliver = false): HistoryBuilder => {
      const { h } = started();
      h.create('controller', MAPS, manifest('ConfigMap', 'web-settings', { data: { image: 'app:v1' } }));
      report(h, { observedGeneration: 1, phase: 'Ready' });
      changeImage(h, 'app:v2');
      if (deliver) h.deliver('controller', WIDGETS);
      h.get('controller', WIDGETS, 'web');
      return h;
    };

    it('convicts the generation of a fresh read while the child is as before', () => {
      const h = behind();
      report(h, { observedGeneration: 2, phase: 'Ready' });

      expect(truthfulStatus.check(h.build({ reference: WORK }))).toMatchObject({
        violations: [
          {
            signature: { class: 'not-acted-upon' },
            sentence: expect.stringContaining(
              'data.image of configmaps/web-settings is still "app:v1", as in generation 1, not "app:v2"',
            ),
          },
        ],
      });
      expect(classes(h)).toEqual(['holds']);
    });

    it('accepts it once the child is as the newer spec wants it, or after the watch has delivered that', () => {
      const done = behind();
      fix(done, 'app:v2');
      report(done, { observedGeneration: 2, phase: 'Ready' });
      expect(classes(done, WORK)).toEqual(['holds']);

      const watched = behind(true);
      report(watched, { observedGeneration: 2, phase: 'Ready' });
      expect(classes(watched, WORK)).toEqual(['holds']);
    });

    it('accepts a status that says something else than when the work is done', () => {
      const h = behind();
      report(h, { observedGeneration: 2, phase: 'Failed' });
      expect(classes(h, WORK)).toEqual(['holds']);
    });

    it('accepts a child that another writer or an earlier incarnation put back', () => {
      for (const actor of ['writer-1', 'controller~2']) {
        const h = behind();
        fix(h, 'app:v3', actor);
        fix(h, 'app:v1', actor);
        report(h, { observedGeneration: 2, phase: 'Ready' });
        expect(classes(h, WORK)).toEqual(['holds']);
      }
    });

    it('accepts a child that once had the wanted value, which an old view of it may show', () => {
      const h = behind();
      fix(h, 'app:v2');
      fix(h, 'app:v1');
      report(h, { observedGeneration: 2, phase: 'Ready' });
      expect(classes(h, WORK)).toEqual(['holds']);
    });
  });

  it('is inconclusive where a fresh read told the generation and no reference says what the status repeats', () => {
    const { h } = started();
    changeImage(h, 'app:v2');
    h.get('controller', WIDGETS, 'web');
    report(h, { observedGeneration: 2 });

    expect(classes(h, null)).toEqual(['inconclusive']);
  });

  it('is inconclusive where an answer without objects may have told the generation', () => {
    const { h } = started();
    changeImage(h, 'app:v2');
    h.list('controller', WIDGETS);
    report(h, { observedGeneration: 2 });
    const history = h.build();
    // The answer has no recorded objects, like one in the form of a table.
    const operations = history.operations.map((operation) =>
      operation.verb === 'list' ? { ...operation, outcome: { type: 'ok' as const, code: 200 } } : operation,
    );

    expect(truthfulStatus.check({ ...history, operations }).result).toBe('inconclusive');
  });

  it('leaves a condition alone that another object had in the same form', () => {
    const judged = (type: string): readonly string[] => {
      const { h } = started();
      const conditions = [{ type, status: 'True', observedGeneration: 4 }];
      h.create('user', 'deployments.apps', manifest('Deployment', 'web', { spec: {}, status: { conditions } }));
      report(h, { conditions: [{ type: 'Available', status: 'True', observedGeneration: 4 }] });
      return classes(h);
    };

    expect(judged('Available')).toEqual(['holds']);
    expect(judged('Progressing')).toEqual(['ahead-of-generation']);
  });

  it('leaves conditions alone that may be copied from the status of another object', () => {
    const condition = { type: 'Ready', observedGeneration: 3 };
    const judged = (status: JsonObject, withChild: boolean): readonly string[] => {
      const { h } = started();
      h.create('controller', 'deployments.apps', manifest('Deployment', 'web', { spec: { replicas: 1 } }));
      for (const replicas of withChild ? [2, 3] : [2])
        h.edit('controller', 'deployments.apps', 'web', ['spec', 'replicas'], replicas);
      report(h, status);
      return classes(h);
    };

    expect(judged({ child: { conditions: [condition] } }, true)).toEqual(['holds']);
    expect(judged({ child: { conditions: [condition] } }, false)).toEqual(['ahead-of-generation']);
    expect(judged({ conditions: [condition] }, true)).toEqual(['ahead-of-generation']);
  });
});
