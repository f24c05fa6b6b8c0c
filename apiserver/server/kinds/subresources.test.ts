import { expect, it } from 'vitest';
import { testServer } from '../testing.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

it('sets conditions in an approval, with timestamps, and nothing else', () => {
  const { request } = testServer();
  const pem = btoa('-----BEGIN CERTIFICATE REQUEST-----');
  const spec = { request: pem, signerName: 'example.com/s', usages: ['client auth'] };
  const made = request('POST', REQUESTS, {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'c' },
    spec,
  }).object;
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Tests' }];

  const answer = request('PUT', `${REQUESTS}/c/approval`, {
    ...made,
    spec: { ...spec, signerName: 'other/x' },
    status: { conditions, certificate: pem },
  });

  expect(answer.code).toBe(200);
  expect(answer.object['spec']).toMatchObject({ signerName: 'example.com/s' });
  expect(answer.object['status']).toMatchObject({
    conditions: [{ type: 'Approved', lastUpdateTime: made.metadata.creationTimestamp }],
  });
  expect(answer.object['status']).not.toHaveProperty('certificate');
});

it('adds ephemeral containers to a pod', () => {
  const { request } = testServer();
  const pods = '/api/v1/namespaces/default/pods';
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'a', image: 'a' }] },
  };
  const made = request('POST', pods, pod).object;
  const ephemeralContainers = [{ name: 'debug', image: 'busybox' }];

  const answer = request('PUT', `${pods}/p/ephemeralcontainers`, {
    ...made,
    spec: { ...(made['spec'] as object), nodeName: 'n', ephemeralContainers },
  });

  expect(answer.code).toBe(200);
  expect(answer.object['spec']).toMatchObject({ ephemeralContainers: [{ name: 'debug', imagePullPolicy: 'Always' }] });
  expect(answer.object['spec']).not.toHaveProperty('nodeName');
});
