/** The stored form of a workload. */
import { z } from 'zod';
import type { FieldPath, ObjectTarget, Program, ProgramOp, Workload } from '../../model/workload.ts';
import { jsonValue, kubeObject, textMap, type Shape } from './common.ts';
import { decode, encode, type Format } from './format.ts';

const target: z.ZodType<ObjectTarget> = z
  .strictObject({
    group: z.string(),
    version: z.string(),
    resource: z.string(),
    namespace: z.string(),
    name: z.string().meta({ description: 'Canonical name: owner/role~n for generated names' }),
  } satisfies Shape<ObjectTarget>)
  .meta({ id: 'ObjectTarget' });

const path: z.ZodType<FieldPath> = z
  .array(z.union([z.string(), textMap]))
  .meta({ id: 'FieldPath', description: 'Map keys, and { key: value } for an item of a list of maps' });

const after = {
  afterMs: z.int().min(1).exactOptional().meta({
    description: 'Begins after so much run time, in ms, shortly before the target does something on its own',
  }),
};

const statusOnly = { subresource: z.literal('status').exactOptional() };

type Op<D extends ProgramOp['do']> = Extract<ProgramOp, { do: D }>;

/** One operation of a program; probes contain one too. */
const programOp: z.ZodType<ProgramOp> = z
  .discriminatedUnion('do', [
    z.strictObject({ do: z.literal('create'), target, object: kubeObject, ...after } satisfies Shape<Op<'create'>>),
    z.strictObject({
      do: z.literal('set'),
      target,
      subresource: z.enum(['status', 'scale']).exactOptional(),
      path,
      value: jsonValue,
      via: z.enum(['update', 'merge-patch', 'json-patch']),
      ...after,
    } satisfies Shape<Op<'set'>>),
    z.strictObject({ do: z.literal('append'), target, ...statusOnly, path, item: jsonValue, ...after } satisfies Shape<
      Op<'append'>
    >),
    z.strictObject({
      do: z.literal('remove-item'),
      target,
      ...statusOnly,
      path,
      item: jsonValue,
      ...after,
    } satisfies Shape<Op<'remove-item'>>),
    z.strictObject({
      do: z.literal('delete'),
      target,
      propagation: z.enum(['Background', 'Foreground', 'Orphan']).exactOptional(),
      recreate: z.union([kubeObject, z.literal('same')]).exactOptional(),
      ...after,
    } satisfies Shape<Op<'delete'>>),
  ])
  .meta({ id: 'ProgramOp', description: 'One read-modify-write against one object' });

const program: z.ZodType<Program> = z
  .strictObject({
    actor: z.string().min(1),
    writer: z.string().min(1),
    standing: z.boolean().exactOptional(),
    ops: z.array(programOp),
    heal: z.array(programOp).exactOptional().meta({ description: 'What the writer undoes itself after contention' }),
  } satisfies Shape<Program>)
  .meta({ id: 'Program' });

const schema: z.ZodType<Workload> = z
  .strictObject({
    version: z.literal(1),
    start: z.enum(['settled', 'empty']),
    sample: z.array(kubeObject),
    programs: z.array(program),
  } satisfies Shape<Workload>)
  .meta({ id: 'Workload', description: 'What the user and the adversarial writers do in one run' });

export const WORKLOAD: Format<Workload> = { kind: 'workload', version: 1, schema, upgrades: [] };

/** Encodes the workload as versioned JSON. */
export function encodeWorkload(workload: Workload): string {
  return encode(WORKLOAD, workload);
}

/** @throws {FORMAT_INVALID} {FORMAT_TOO_NEW} */
export function decodeWorkload(text: string, source: string): Workload {
  return decode(WORKLOAD, text, source);
}
