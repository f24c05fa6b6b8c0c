import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../objects/object.ts';
import { MERGE, testServer, type Answer } from '../../testing.ts';

const NAMESPACE = '/api/v1/namespaces/default';

function causes(answer: Answer): readonly string[] {
  const details = (answer.body as { details?: { causes?: readonly { field: string; message: string }[] } }).details;
  return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}

describe('rules of cluster kinds', () => {
  const { request } = testServer();
  const named = (kind: string, spec: JsonObject, name = 'a'): JsonObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name },
    spec,
  });

  it('validates names and values of quotas (33)', () => {
    const hard = { 'count/a.b': '-1', 'no-such': '1', pods: '500m' };

    expect(causes(request('POST', `${NAMESPACE}/resourcequotas`, named('ResourceQuota', { hard })))).toEqual([
      'spec.hard[count/a.b]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.hard[no-such]: Invalid value: "no-such": must be a standard resource type or fully qualified',
      'spec.hard[no-such]: Invalid value: "no-such": must be a standard resource for quota',
      'spec.hard[pods]: Invalid value: "500m": must be an integer',
    ]);
  });

  it('validates the order of limits (33)', () => {
    const limits = [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }, { type: 'PersistentVolumeClaim' }];

    expect(causes(request('POST', `${NAMESPACE}/limitranges`, named('LimitRange', { limits })))).toContain(
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
    );
  });

  it('accepts IP address names only in canonical form (33)', () => {
    const addresses = '/apis/networking.k8s.io/v1/ipaddresses';
    const parentRef = { group: 'g', resource: 'r', name: 'p', namespace: 'x' };
    const create = (name: string): Answer =>
      request('POST', addresses, {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'IPAddress',
        metadata: { name },
        spec: { parentRef },
      });

    expect(create('fe80::1').code).toBe(201);
    expect(['010.0.0.2', '::ffff:1.2.3.4', 'abc', 'FE80::2'].flatMap((name) => causes(create(name)))).toEqual([
      'metadata.name: Invalid value: "010.0.0.2": must not have leading 0s',
      'metadata.name: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
      'metadata.name: Invalid value: "abc": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'metadata.name: Invalid value: "FE80::2": must be in canonical form ("fe80::2")',
    ]);
  });

  it('rejects hostnameOverride together with other host name fields (33)', () => {
    const pod = (spec: JsonObject): readonly string[] =>
      causes(
        request(
          'POST',
          `${NAMESPACE}/pods`,
          named('Pod', { containers: [{ name: 'a', image: 'b' }], ...spec }, 'named'),
        ),
      );

    expect(pod({ hostnameOverride: 'a', hostNetwork: true, setHostnameAsFQDN: true })).toEqual([
      'spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true',
      'spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true',
    ]);
    expect(pod({ hostnameOverride: 'a'.repeat(70) })).toEqual([
      'spec.hostnameOverride: Too long: may not be more than 64 bytes',
    ]);
  });

  it('keeps providerID of a node, and requires a namespace phase to match its deletion (33)', () => {
    request('POST', '/api/v1/nodes', named('Node', { providerID: 'p' }));
    const moved = request('PATCH', '/api/v1/nodes/a', { spec: { providerID: 'q' } }, MERGE);
    const ended = request('PATCH', '/api/v1/namespaces/default/status', { status: { phase: 'Terminating' } }, MERGE);

    expect(causes(moved)).toEqual([
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ]);
    expect(causes(ended)).toEqual([
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ]);
  });

  it('requires a limit response of a limited priority level (33)', () => {
    const path = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations';
    const level = {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'a' },
      spec: { type: 'Limited', limited: {} },
    };

    expect(causes(request('POST', path, level))).toEqual(['spec.limited.limitResponse.type: Required value']);
  });

  it('sets the phase transition time of a volume (33)', () => {
    const { clock, request: send } = testServer();
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };
    send('POST', '/api/v1/persistentvolumes', named('PersistentVolume', spec));
    clock.nowMs += 5000;
    const path = '/api/v1/persistentvolumes/a/status';

    expect(send('PATCH', path, { status: { phase: 'Available' } }, MERGE).object['status']).toEqual({
      phase: 'Available',
      lastPhaseTransitionTime: '2024-01-01T00:00:05Z',
    });
  });

  it('validates changed events, and names them by the core group (33)', () => {
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
    };
    request('POST', `${NAMESPACE}/events`, event);
    const moved = request('PATCH', `${NAMESPACE}/events/e`, { involvedObject: { namespace: 'other' } }, MERGE);
    const timeless = request('POST', '/apis/events.k8s.io/v1/namespaces/default/events', {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'f' },
      type: 'Normal',
      regarding: { namespace: 'default' },
    });

    expect(causes(moved)).toEqual(['involvedObject.namespace: Invalid value: "other": does not match event.namespace']);
    expect((timeless.body as { message: string }).message).toBe('Event "f" is invalid: eventTime: Required value');
  });
});
