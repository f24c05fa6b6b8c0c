import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { stateOf } from './pod-state.ts';

function pod(status: JsonObject): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, status };
}
const container = (state: JsonObject): KubeObject =>
  pod({ phase: 'Running', containerStatuses: [{ name: 'target', containerID: 'containerd://4f', state }] });

describe('what the status of a pod says', () => {
  it.each([
    [pod({ phase: 'Pending' }), { is: 'waiting' }],
    [container({ waiting: { reason: 'ContainerCreating' } }), { is: 'waiting' }],
    [container({ running: {} }), { is: 'running', container: '4f' }],
    [container({ terminated: { exitCode: 2, reason: 'Error' } }), { is: 'ended', container: '4f', how: 'with code 2' }],
    [
      container({ terminated: { exitCode: 137, reason: 'OOMKilled' } }),
      { is: 'ended', container: '4f', how: 'by SIGKILL (OOMKilled)' },
    ],
    [
      container({ waiting: { reason: 'ErrImageNeverPull', message: 'no such image' } }),
      { is: 'failing', why: 'its container "target" does not start (ErrImageNeverPull: no such image)' },
    ],
    [
      pod({ initContainerStatuses: [{ name: 'init', state: { waiting: { reason: 'CreateContainerConfigError' } } }] }),
      { is: 'failing', why: 'its container "init" does not start (CreateContainerConfigError: )' },
    ],
    [
      pod({ phase: 'Failed', reason: 'NodeAffinity', message: 'node does not match' }),
      { is: 'failing', why: 'its pod failed: NodeAffinity: node does not match' },
    ],
  ])('%j', (given, said) => {
    expect(stateOf(given, 'target')).toEqual(said);
  });
});
