import { expect, it } from 'vitest';
import { parseManifests } from '../../execution/project/manifest-files.ts';
import { crdsAmong } from '../../execution/project/manifests.ts';
import { isInstallable } from './installable.ts';

const deployment = (name: string, program: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: example.com/all, command: [${program}] }] }
`;
const job = (completions: string): string => `apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec:
  completions: ${completions}
  template: { spec: { restartPolicy: Never, containers: [{ name: main, image: example.com/all }] } }
`;

it.each([
  ['the only Deployment', [deployment('a', 'anything')], true],
  ['the one that starts the program, of several', [deployment('a', 'op'), deployment('b', 'gc')], true],
  ['none of several that start something else', [deployment('a', 'x'), deployment('b', 'y')], false],
  ['no Deployment', [job('1')], false],
  ['what is complete beside it', [deployment('a', 'op'), job('1')], true],
  ['what somebody has to fill in first', [deployment('a', 'op'), job('NUM_NODES')], false],
])('takes an overlay with %s: %#', (_, documents, expected) => {
  const { crds, rest } = crdsAmong(parseManifests(documents.join('---\n'), 'all.yaml', true));

  expect(isInstallable({ crds, objects: rest.map(({ object }) => object), warnings: [] }, 'bin/op')).toBe(expected);
});
