import { describe, expect, it } from 'vitest';
import type { Operation } from '../model/history.ts';
import type { Signature } from '../model/signature.ts';
import { indexHistory } from '../report/history-index.ts';
import { fixOf, inShort, fixFor } from '../report/suggested-fix.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { properties } from './registry.ts';

const of = (property: string, kind = ''): string | undefined =>
  fixFor({ property, class: kind, actors: [], kind: '', field: '' });

describe('what would fix a finding', () => {
  it.each(properties.map(({ name }) => name))('is known of %s', (name) => {
    expect(of(name)).toMatch(/^[A-Z].*\.$/);
    expect(inShort(of(name) ?? '').length).toBeLessThan(160);
  });

  it('is another thing for a patch than for an update after a conflict', () => {
    const signature = { property: 'no-lost-update', class: 'carried-back', actors: [], kind: '', field: '' };
    const patch = lostUpdate().record.operations.map((operation) => ({ ...operation, verb: 'patch' as const }))[0];

    expect(fixFor(signature, patch)).toMatch(/^Send the patch with the resourceVersion that it was made from/);
  });

  it('names a conflict only where the guilty write followed one of the same object', () => {
    expect(fixWhere((operation) => operation)).toMatch(/^After a 409/);
    expect(fixWhere((operation) => ({ ...operation, resource: 'widgets.example.com' }))).toMatch(/^Compute the change/);
    expect(fixWhere((operation) => ({ ...operation, namespace: 'elsewhere' }))).toMatch(/^Compute the change/);
  });

  it('names no conflict for an update without a version, which has none', () => {
    expect(fixWhere((refused) => refused, withoutVersion)).toMatch(/^Let the server check: send the resourceVersion/);
  });

  it('is a retry where the last write about what differs failed, whatever differs', () => {
    const signature = { property: 'convergence', class: 'extra-object', actors: [], kind: '', field: '' };
    const [write] = lostUpdate().record.operations;
    const failed = (code: number): Operation => {
      if (write === undefined) throw new Error('expected a request');
      return { ...write, verb: 'delete', outcome: { type: 'fail', code, reason: '', message: '' } };
    };

    const signatureOf = (resource: string): Signature => ({ ...signature, kind: resource });
    expect(fixFor(signature, failed(503))).toMatch(/^Return the error of each failed request/);
    expect(fixFor(signatureOf(write?.resource ?? ''), failed(404))).toMatch(/^Derive the names of children/);
    expect(fixFor({ ...signature, class: 'stopped-watching' }, failed(503))).toMatch(/^When a watch ends/);
  });

  it('is about the clean-up where the blamed write ended one, and about watching where the object had been made', () => {
    const [write] = lostUpdate().record.operations;
    const signature = { property: 'convergence', class: 'extra-object', actors: [], kind: 'configmaps', field: '' };
    const create = write === undefined ? undefined : ({ ...write, verb: 'create' } as const);

    expect(fixFor(signature, write)).toMatch(/^Remove your finalizer only once nothing is left/);
    const missing = { ...signature, class: 'missing-object' };
    expect(fixFor(missing, create, { refused: false, isGone: true })).toMatch(/^Let an event of the child trigger/);
    expect(fixFor(missing, create)).toMatch(/^On each reconcile compare/);
  });

  it('is told in its first sentence below a story', () => {
    expect(inShort('Answer a 409 (e.g. by reading). And so on.')).toBe('Answer a 409 (e.g. by reading).');
    expect(inShort('No stop')).toBe('No stop');
  });

  it('is told by class where that matters, and not of claims that nobody knows', () => {
    expect(of('no-lost-update', 'carried-back')).toMatch(/^After a 409/);
    expect(of('no-lost-update', 'new-class')).toBe(of('no-lost-update'));
    expect(of('constructor')).toBeUndefined();
  });
});

/** Returns the suggested fix of a lost update after `refusal` has changed its rejected request and `blamed` has changed the guilty one. */
function fixWhere(
  refusal: (refused: Operation) => Operation,
  blamed: (guilty: Operation) => Operation = (guilty) => guilty,
): string | undefined {
  const { record, violation } = lostUpdate();
  const operations = record.operations.map((operation) => {
    if (operation.outcome.type === 'fail') return refusal(operation);
    return operation.id === violation.operations[0] ? blamed(operation) : operation;
  });
  return fixOf(indexHistory({ ...record, operations }), violation);
}

function withoutVersion(operation: Operation): Operation {
  return { ...operation, body: { metadata: { name: 'web' }, spec: { replicas: 3 } } };
}
