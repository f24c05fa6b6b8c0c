import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProcessTarget } from '../../model/counterexample.ts';
import { USUAL_MANNER } from '../config/process-target.ts';
import { resolveProject, type ResolvedProject } from './resolve.ts';

const MANIFESTS = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: manager, namespace: system }
spec:
  template:
    metadata: { labels: { app: manager } }
    spec: { containers: [{ name: manager, image: 'op:dev', ports: [{ containerPort: 9443 }] }] }
---
apiVersion: v1
kind: Service
metadata: { name: webhooks, namespace: system }
spec: { selector: { app: manager }, ports: [{ port: 443, targetPort: 9443 }] }
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: validation }
webhooks: [{ name: v.example.com, clientConfig: { service: { name: webhooks, namespace: system, path: /v } } }]
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  names: { kind: Widget, plural: widgets }
  scope: Namespaced
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: { service: { name: webhooks, namespace: system, path: /convert } }
`;
const BUILT_IN = ['apps/v1/Deployment', 'v1/Service', 'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-resolve-'));
  writeFileSync(join(folder, 'install.yaml'), MANIFESTS);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function resolved(process: ProcessTarget | null, crds: readonly string[] = []): ResolvedProject {
  return resolveProject({
    ...{ crds, manifests: [join(folder, 'install.yaml')], process, namespace: 'default' },
    ...{ deployment: undefined, authorization: undefined, elects: false, builtIn: new Set(BUILT_IN) },
  });
}

const program: ProcessTarget = { command: ['op'], cwd: '/', env: {}, fileSystem: 'own', ...USUAL_MANNER };

describe('webhooks that a project ships', () => {
  it('are asked where the target is a program', () => {
    const { crds, project, warnings } = resolved(program);

    expect(project?.objects.map(({ kind }) => kind)).toContain('ValidatingWebhookConfiguration');
    expect(crds[0]?.['spec']).toMatchObject({ conversion: { strategy: 'Webhook' } });
    expect(warnings.filter((text) => text.includes('webhook'))).toEqual([]);
  });

  it('convert also what a generated definition says nothing of', () => {
    const generated = join(folder, 'generated.yaml');
    const [definition = ''] = /apiVersion: apiextensions[^]*schema: .*\n/.exec(MANIFESTS) ?? [];
    writeFileSync(generated, definition);

    const { crds } = resolved(program, [generated]);

    expect(crds.map(({ spec }) => spec)).toEqual([
      expect.objectContaining({ conversion: expect.objectContaining({ strategy: 'Webhook' }) }),
    ]);
  });

  it.each([
    [
      'a pod',
      { ...program, command: ['op:dev'], inCluster: true },
      'the target is a pod, to which no Service is routed',
    ],
    ['a module', null, 'the target is a module, which does not listen'],
  ])('are left out where it is %s, and that is said', (_, process, why) => {
    const { crds, project, warnings } = resolved(process);

    expect(project?.objects.map(({ kind }) => kind)).not.toContain('ValidatingWebhookConfiguration');
    expect(crds[0]?.['spec']).toMatchObject({ conversion: { strategy: 'None' } });
    expect(warnings).toEqual(
      expect.arrayContaining([
        `the webhook v.example.com is skipped: ${why} (as a program, -- COMMAND, it is called)`,
        expect.stringContaining(`widgets.example.com is converted by a webhook, and ${why} (as a program`),
      ]),
    );
  });
});
