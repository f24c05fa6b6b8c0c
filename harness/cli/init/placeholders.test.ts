import { expect, it } from 'vitest';
import { filledIn } from './placeholders.ts';

it.each([
  ['name: "${CLUSTER_NAME}-md-0"', 'name: "example-md-0"'],
  ['replicas: ${WORKER_MACHINE_COUNT}', 'replicas: 1'],
  ['version: ${KUBERNETES_VERSION}', 'version: v1.30.0'],
  ['replicas: ${WORKERS:=3}', 'replicas: 3'],
  ['region: ${REGION:-"eu"}', 'region: "eu"'],
  ['key: ${OPTIONAL:=}', 'key: '],
])('fills in %s', (text, filled) => {
  expect(filledIn(text)).toBe(filled);
});

it.each(['price: $5', 'args: [--address=$(ADDRESS)]', 'name: {{ .Values.name }}', 'script: echo ${#list}'])(
  'leaves %s as it is',
  (text) => {
    expect(filledIn(text)).toBeUndefined();
  },
);
