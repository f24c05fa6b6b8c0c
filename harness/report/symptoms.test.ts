import { expect, it } from 'vitest';
import { symptomLines, type ShownSymptom } from './symptoms.ts';

function lost(field: string, kind: string, count: number): ShownSymptom {
  return { property: 'no-lost-update', class: kind, resource: 'deployments.apps', field, count };
}

it('has each field once, with the highest count, whatever the ways in which it was lost', () => {
  const symptoms = [
    lost('spec.replicas', 'stale-overwrite', 9),
    lost('metadata.labels', 'blind-overwrite', 6),
    lost('spec.replicas', 'blind-overwrite', 5),
    lost('metadata.labels', 'stale-overwrite', 7),
    lost('spec.replicas', 'removed', 1),
  ];

  expect(symptomLines(symptoms)).toEqual([
    'no-lost-update of deployments.apps: spec.replicas (9 runs), metadata.labels (7)',
  ]);
});

it('counts what is left out by field', () => {
  const fields = Array.from({ length: 10 }, (_, at) => `spec.f${at}`);
  const symptoms = fields.flatMap((field) => [lost(field, 'stale-overwrite', 2), lost(field, 'blind-overwrite', 1)]);

  expect(symptomLines(symptoms)[0]).toMatch(/spec\.f7 \(2\) and 2 more$/);
});
