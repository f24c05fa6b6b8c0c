/**
 * What kwok does with nodes and pods: nodes become ready, pods run at once, Job pods succeed, deleted objects are removed.
 *
 * Owns: kwok's configuration (https://kwok.sigs.k8s.io/docs/user/stages-configuration/), without which kwok does not start. Start at {@link
 * kwokConfiguration}.
 */
import { stringify } from 'yaml';

interface Rule {
  readonly key: string;
  readonly operator: 'Exists' | 'DoesNotExist' | 'In' | 'NotIn';
  readonly values?: readonly string[];
}

const isAlive: Rule = { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' };
const isDeleted: Rule = { key: '.metadata.deletionTimestamp', operator: 'Exists' };
const hasRun: Rule = { key: '.status.podIP', operator: 'Exists' };
const hasNotRun: Rule = { key: '.status.podIP', operator: 'DoesNotExist' };
const isOfJob: Rule = { key: '.metadata.ownerReferences.[].kind', operator: 'In', values: ['Job'] };
const hasNoFinalizer: Rule = { key: '.metadata.finalizers', operator: 'DoesNotExist' };
const isNotReady: Rule = {
  key: '.status.conditions.[] | select( .type == "Ready" ) | .status',
  operator: 'NotIn',
  values: ['True'],
};
const isNotOver: Rule = { key: '.status.phase', operator: 'NotIn', values: ['Succeeded', 'Failed'] };

/** The address of the fake nodes, where no process listens. */
const NODE_ADDRESS = '10.1.255.254';

const NODE_READY = `
{{ $now := Now }}
addresses:
- { type: InternalIP, address: ${NODE_ADDRESS} }
nodeInfo: { kubeletVersion: v1.36.0, operatingSystem: linux, architecture: amd64 }
phase: Running
conditions:
- { type: Ready, status: "True", reason: KubeletReady, message: kwok, lastHeartbeatTime: {{ $now | Quote }}, lastTransitionTime: {{ $now | Quote }} }
`;

const POD_RUNNING = `
{{ $now := Now }}
conditions:
- { type: PodReadyToStartContainers, status: "True", lastTransitionTime: {{ $now | Quote }} }
- { type: Initialized, status: "True", lastTransitionTime: {{ $now | Quote }} }
- { type: Ready, status: "True", lastTransitionTime: {{ $now | Quote }} }
- { type: ContainersReady, status: "True", lastTransitionTime: {{ $now | Quote }} }
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  ready: true
  started: true
  restartCount: 0
  state: { running: { startedAt: {{ $now | Quote }} } }
{{ end }}
{{ with .spec.initContainers }}
initContainerStatuses:
{{ range . }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  ready: true
  restartCount: 0
  state: { terminated: { exitCode: 0, reason: Completed, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }} } }
{{ end }}
{{ end }}
hostIP: ${NODE_ADDRESS}
podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) ( or .metadata.name "" ) ( or .metadata.namespace "" ) | Quote }}
phase: Running
startTime: {{ $now | Quote }}
`;

const POD_COMPLETE = `
{{ $now := Now }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  ready: false
  started: false
  restartCount: 0
  state: { terminated: { exitCode: 0, reason: Completed, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }} } }
{{ end }}
phase: Succeeded
`;

/** Returns the YAML for `--config`. */
export function kwokConfiguration(): string {
  const stages = [
    stage('node-ready', 'Node', [isNotReady], { statusTemplate: NODE_READY }),
    stage('pod-running', 'Pod', [isAlive, hasNotRun], { statusTemplate: POD_RUNNING }),
    stage('pod-complete', 'Pod', [isAlive, hasRun, isOfJob, isNotOver], { statusTemplate: POD_COMPLETE }),
    stage('pod-gone', 'Pod', [isDeleted, hasNoFinalizer], { delete: true }),
  ];
  return stages.map((one) => stringify(one)).join('---\n');
}

function stage(name: string, kind: 'Node' | 'Pod', matchExpressions: readonly Rule[], next: object): object {
  return {
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: { resourceRef: { apiGroup: 'v1', kind }, selector: { matchExpressions }, next },
  };
}
