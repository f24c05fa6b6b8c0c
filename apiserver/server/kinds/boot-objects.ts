/**
 * The objects that a real server creates at startup: the service `kubernetes`, priority classes, flow schemas, its own APIServices, a
 * lease. Loaded only when a server boots with them; the server of a trial has only the namespaces.
 */
import { readFileSync } from 'node:fs';
import type { KubeObject } from '../../objects/object.ts';

export interface BootFacts {
  /** The current time: RFC 3339 with whole seconds. */
  readonly now: string;
  /** The port of the server's address. */
  readonly port: number;
  /** The server's identity in its lease. */
  readonly uid: string;
}

/** Returns the objects, without uid and version. */
export function bootObjects({ now, port, uid }: BootFacts): readonly KubeObject[] {
  const text = readFileSync(new URL('./generated/boot.json', import.meta.url), 'utf8');
  const stored = JSON.parse(
    text.replaceAll('"NOW"', JSON.stringify(now)).replace(/"targetPort":\d+/, `"targetPort":${port}`),
  ) as readonly KubeObject[];
  const identity = `apiserver-${uid.replaceAll('-', '').slice(0, 26)}`;
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
      data: { since: now.slice(0, 10) },
    },
    ...stored,
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name: identity,
        namespace: 'kube-system',
        labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': 'localhost' },
      },
      spec: {
        holderIdentity: `${identity}_${uid}`,
        leaseDurationSeconds: 3600,
        renewTime: now.replace('Z', '.000000Z'),
      },
    },
  ];
}
