import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { always } from '../config/predicates.ts';
import type { RunConfig } from '../config/run-config.ts';
import { aboutOf } from './place.ts';

const SETTINGS: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 's' }, data: { mode: 'fast' } };
const PASSWORD: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'p' },
  data: { password: 'aHVudGVyMg==' },
};
const CLAIM = { name: 'few', resource: 'pods', check: () => true };
const STARTED = {
  command: ['./manager', '--workers', '1', '--token', 'hunter2hunter2'],
  env: { MODE: 'fast', API_TOKEN: 's3cret' },
};

function about(changes: Partial<RunConfig> = {}, started: object = {}): string {
  const config = {
    target: '',
    samples: [SETTINGS, PASSWORD],
    properties: [always(CLAIM)],
    process: { ...STARTED, ...started },
  };
  return aboutOf({ ...config, ...changes } as RunConfig, './manager .');
}

describe('what a soak is about', () => {
  it.each([
    ['an argument', about({}, { command: STARTED.command.with(2, '2') })],
    ['a variable', about({}, { env: { ...STARTED.env, DEBUG: '' } })],
    ['data of a sample', about({ samples: [{ ...SETTINGS, data: { mode: 'slow' } }, PASSWORD] })],
    ['what a claim says', about({ properties: [always({ ...CLAIM, check: () => false })] })],
    ['a claim in CEL', about({ properties: [always({ name: 'few', resource: 'pods', cel: 'true' })] })],
  ])('is something else with another %s', (_, other) => {
    expect(other).not.toBe(about());
  });

  it('is the same with other secrets', () => {
    const [token, password] = ['an0therTokenOfTheSame', 'b3RoZXI='];
    const started = { command: STARTED.command.with(4, token), env: { ...STARTED.env, API_TOKEN: token } };

    expect(about({ samples: [SETTINGS, { ...PASSWORD, data: { password } }] }, started)).toBe(about());
  });
});
