/**
 * Simplifications of a workload, in the order in which they are tried.
 *
 * Pure. Every candidate is smaller than its workload (fewer programs, then fewer operations, then simpler ones), so that repeated shrinking
 * terminates.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import type { Program, ProgramOp, Workload } from '../../model/workload.ts';

/** Yields candidates: without a program, without operations, with simpler operations, with a settled start. */
export function* shrinkWorkload(workload: Workload): Generator<Workload> {
  const { programs } = workload;
  const withPrograms = (changed: readonly Program[]): Workload => ({ ...workload, programs: changed });
  if (programs.length > 1) yield withPrograms([]);
  for (const index of programs.keys()) yield withPrograms(programs.toSpliced(index, 1));
  for (const [index, program] of programs.entries()) {
    for (const ops of fewerOps(program.ops)) yield withPrograms(programs.with(index, withOps(program, ops)));
  }
  for (const [index, program] of programs.entries()) {
    for (const [at, op] of program.ops.entries()) {
      for (const simpler of simplerOps(op)) {
        yield withPrograms(programs.with(index, withOps(program, program.ops.with(at, simpler))));
      }
    }
  }
  if (workload.start === 'empty') yield { ...workload, start: 'settled' };
}

/** Yields halves first, then lists without one operation; never an empty list, as dropping the program is a separate candidate. */
function* fewerOps(ops: readonly ProgramOp[]): Generator<readonly ProgramOp[]> {
  if (ops.length < 2) return;
  if (ops.length > 3) {
    const half = Math.ceil(ops.length / 2);
    yield ops.slice(0, half);
    yield ops.slice(half);
  }
  for (const index of ops.keys()) yield ops.toSpliced(index, 1);
}

/** Returns the program with other operations, and without heal operations that are no longer needed. */
function withOps(program: Program, ops: readonly ProgramOp[]): Program {
  if (program.heal === undefined) return { ...program, ops };
  const { heal: all, ...rest } = program;
  const heal = all.filter((undo) => ops.some((op) => touchesSame(op, undo)));
  return { ...rest, ops, ...(heal.length === 0 ? {} : { heal }) };
}

function touchesSame(a: ProgramOp, b: ProgramOp): boolean {
  const place = (op: ProgramOp): JsonValue => [{ ...op.target }, 'path' in op ? JSON.stringify(op.path) : ''];
  return jsonEqual(place(a), place(b));
}

/**
 * Yields simpler forms of an operation: one request is simpler than two, a merge patch is easier to read than a JSON patch, the server's
 * default is simpler than a deletion policy.
 */
function* simplerOps(op: ProgramOp): Generator<ProgramOp> {
  if (op.afterMs !== undefined) {
    const { afterMs: _, ...atOnce } = op;
    yield atOnce;
  }
  if (op.do === 'set' && op.via !== 'merge-patch' && op.path.every((segment) => typeof segment === 'string')) {
    yield { ...op, via: 'merge-patch' };
  }
  if (op.do === 'delete') {
    const { propagation, recreate, ...plain } = op;
    if (recreate !== undefined) yield propagation === undefined ? plain : { ...plain, propagation };
    if (propagation !== undefined) yield recreate === undefined ? plain : { ...plain, recreate };
  }
}
