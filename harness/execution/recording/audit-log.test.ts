import { describe, expect, it } from 'vitest';
import { readAuditLog } from './audit-log.ts';
import { foldHistory } from './fold.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const MANAGER = 'manager/v1 (linux/amd64) kubernetes/abc';

function line(atMs: number, verb: string, uri: string, more: object): string {
  const at = (ms: number): string => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  return JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: `id-${atMs}`,
    stage: 'ResponseComplete',
    requestURI: uri,
    verb,
    userAgent: MANAGER,
    requestReceivedTimestamp: at(atMs),
    stageTimestamp: at(atMs + 2),
    responseStatus: { code: 200 },
    ...more,
  });
}

function map(revision: number): object {
  const metadata = { name: 'a', namespace: 'default', uid: 'u', resourceVersion: String(revision) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}

describe('an audit log', () => {
  it('becomes a history with the revisions that answers tell', () => {
    const text = [
      line(0, 'watch', `${PATH}?watch=true&resourceVersion=4`, { stageTimestamp: '2026-01-01T00:00:09.000Z' }),
      line(10, 'create', PATH, {
        userAgent: 'kubectl/v1',
        responseStatus: { code: 201 },
        requestObject: map(0),
        responseObject: map(5),
      }),
      line(20, 'get', `${PATH}/a`, { responseObject: map(5) }),
      line(30, 'update', `${PATH}/a`, { requestObject: map(5), responseObject: map(6) }),
      line(40, 'update', `${PATH}/a`, { requestObject: map(6), responseObject: map(6) }),
      line(50, 'update', `${PATH}/a`, { requestObject: map(5), responseStatus: { code: 409, reason: 'Conflict' } }),
      line(60, 'get', '/healthz', { level: 'Metadata' }),
    ].join('\n');

    const { happenings, actors, notes } = readAuditLog(`${text}\n`, 'audit.log');
    const { revisions, operations } = foldHistory(happenings);

    expect([...actors]).toEqual([
      ['controller', MANAGER],
      ['user', 'kubectl/v1'],
    ]);
    expect(revisions.map(({ revision, type, actor }) => `${revision} ${type} ${actor}`)).toEqual([
      '5 ADDED user',
      '6 MODIFIED controller',
    ]);
    expect(operations.map(({ verb, outcome, committed }) => [verb, outcome.type, committed])).toEqual([
      ['watch', 'ok', []],
      ['create', 'ok', [5]],
      ['get', 'ok', []],
      ['update', 'ok', [6]],
      ['update', 'ok', []],
      ['update', 'fail', []],
    ]);
    expect(notes).toEqual([expect.stringContaining('no watch events')]);
  });

  it('says what its levels leave out', () => {
    const { notes } = readAuditLog(line(0, 'delete', `${PATH}/a`, { level: 'Metadata' }), 'audit.log');

    expect(notes).toEqual([
      expect.stringContaining('no watch events'),
      expect.stringContaining('deletions'),
      expect.stringContaining('1 of 1 requests are logged at level Metadata'),
    ]);
  });

  it.each([
    ['{"kind":"Event"', 'line 1 of "audit.log" is no JSON'],
    ['{"kind":"Pod","apiVersion":"v1"}', 'line 1 of "audit.log" is a Pod of v1'],
    [line(0, 'get', '/healthz', {}), 'holds no completed request for a resource'],
  ])('that is none is refused: %s', (text, message) => {
    expect(() => readAuditLog(text, 'audit.log')).toThrow(message);
  });
});
