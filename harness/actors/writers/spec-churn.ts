/**
 * The user's own edits: a spec field switches between values that were healthy in reference runs, and back to the original.
 *
 * Only single changes are known to be healthy, so a second field is changed only once the first has its original value again.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { valueAt } from '../../model/edit.ts';
import type { FieldPath, ObjectTarget, ProgramOp } from '../../model/workload.ts';
import type { AdversarialWriter, Aim } from '../../schedule/workload/writer.ts';
import { oneOf } from './moves.ts';
import type { Move } from './moves.ts';

/** A field with its original value and its other healthy values. */
interface Field {
  readonly target: ObjectTarget;
  readonly path: FieldPath;
  readonly original: JsonValue;
  readonly values: readonly JsonValue[];
}

export const specChurn: AdversarialWriter = {
  name: 'spec-churn',
  about: 'the user edits the spec between values that are known to settle, and back',
  as: 'user',
  changesSpec: true,
  ops: (aim) => oneOf(specMoves(aim)),
};

function specMoves(aim: Aim): readonly Move[] {
  const fields = fieldsOf(aim);
  const single: Move[] = [];
  const double: Move[] = [];
  const triple: Move[] = [];
  for (const field of fields) {
    for (const value of field.values) {
      const there = edit(field, value);
      const back = edit(field, field.original);
      single.push([there]);
      double.push([there, back]);
      triple.push([there, back, there]);
      for (const other of field.values) if (other !== value) double.push([there, edit(field, other)]);
    }
  }
  for (const first of fields) {
    for (const second of fields) {
      const [value] = first.values;
      const [other] = second.values;
      if (first === second || value === undefined || other === undefined) continue;
      triple.push([edit(first, value), edit(first, first.original), edit(second, other)]);
    }
  }
  return [...single, ...double, ...triple];
}

function edit({ target, path }: Field, value: JsonValue): ProgramOp {
  return { do: 'set', target, path, value, via: 'update' };
}

function fieldsOf(aim: Aim): readonly Field[] {
  const fields = new Map<string, Field & { readonly values: JsonValue[] }>();
  for (const { target, path, value } of aim.healthySpecChanges) {
    const id = JSON.stringify([target, path]);
    let field = fields.get(id);
    if (field === undefined) {
      const object = aim.objects.find((candidate) => jsonEqual({ ...candidate.target }, { ...target }))?.object;
      if (object === undefined) continue;
      fields.set(id, (field = { target, path, original: valueAt(object, path) ?? null, values: [] }));
    }
    field.values.push(value);
  }
  return [...fields.values()];
}
