/**
 * Typical kubectl commands of people and scripts, one by one; only kubectl acts on the objects meanwhile.
 *
 * Owns: the commands and their input. There are no nodes and no workload controllers: if a command waits for a status, another kubectl,
 * which is not recorded, writes it. Start at {@link kubectlStory}.
 */
import { join } from 'node:path';
import { findKubectl } from '../../harness/clusters/control-plane.ts';
import { symbolicText } from './forms.ts';
import { type Running, start, StepFailed, until } from './processes.ts';
import type { Story, Told } from './story.ts';

const TIMEOUT_MS = 60_000;
const NAMESPACE = 'story';

const configMap = (data: string, more = ''): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: settings${more}}
data: {${data}}
`;

const deployment = (replicas: number, image: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: ${image}, ports: [{containerPort: 80}]}
`;

const bucket = (size: number): string => `apiVersion: storage.example.com/v1
kind: Bucket
metadata: {name: files}
spec: {sizeGiB: ${size}}
`;

const V1 = 'registry.example.com/web:v1';
const V2 = 'registry.example.com/web:v2';
const MERGE = '--type=merge';

/** The status that the deployment controller would write. */
const AVAILABLE = JSON.stringify({
  status: {
    observedGeneration: 99,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    conditions: [{ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'available' }],
  },
});

interface Step {
  readonly args: readonly string[];
  readonly input?: string;
  /** Commands that run during the step, once it has had time to start, and are not recorded. */
  readonly meanwhile?: readonly (readonly string[])[];
  /** The step is stopped once its output contains this. */
  readonly untilPrinted?: string;
  readonly editor?: string;
}

const said = (line: string, rest: Omit<Step, 'args'> = {}): Step => ({ args: line.split(' '), ...rest });
const apply = (input: string, line = 'apply -f -'): Step => said(line, { input });

const STEPS: readonly Step[] = [
  said('version'),
  said(`create namespace ${NAMESPACE}`),
  said('api-resources'),
  said('api-versions'),
  said('explain deployment.spec.replicas'),
  said('explain bucket.spec --recursive'),
  // Client-side apply.
  apply(configMap('mode: fast, level: "1"')),
  apply(configMap('mode: fast, level: "1"')),
  apply(configMap('mode: slow')),
  apply(configMap('mode: slow, extra: "1"'), 'diff -f -'),
  apply(configMap('mode: slow, extra: "1"'), 'apply --dry-run=server -f -'),
  apply(bucket(2)),
  apply(bucket(3)),
  apply(bucket(99)),
  apply(`${configMap('a: b', '-typo')}unknown: field\n`),
  said('apply view-last-applied configmap/settings'),
  // Server-side apply.
  apply(deployment(2, V1), 'apply --server-side -f -'),
  apply(deployment(2, V1), 'apply --server-side -f -'),
  apply(deployment(3, V1), 'apply --server-side --field-manager=other -f -'),
  apply(deployment(3, V1), 'apply --server-side --field-manager=other --force-conflicts -f -'),
  apply(bucket(4), 'apply --server-side --force-conflicts -f -'),
  apply(configMap('mode: fast'), 'apply --server-side -f -'),
  // Reading.
  said('get configmap settings -o yaml --show-managed-fields'),
  said('get deployments,services,configmaps -o wide'),
  said('get deployment web -o json'),
  said('get buckets'),
  said('get all -A'),
  said('get configmap missing'),
  said('get nothings'),
  said('describe deployment web'),
  said('describe configmap settings'),
  said('get configmaps -o wide -w', {
    untilPrinted: 'watched',
    meanwhile: [
      ['patch', 'configmap', 'settings', MERGE, '-p', '{"data":{"watched":"yes"}}'],
      ['create', 'configmap', 'watched'],
      ['delete', 'configmap', 'watched'],
    ],
  }),
  said('get deployments --watch-only --output-watch-events', {
    untilPrinted: '5',
    meanwhile: [['scale', 'deployment', 'web', '--replicas=5']],
  }),
  // Changing.
  said('edit configmap settings', { editor: 'sed -i s/fast/edited/' }),
  said('edit configmap settings', { editor: 'true' }),
  said('edit configmap settings', { editor: 'sed -i s/edited/[1,2]/' }),
  said('label configmap settings tier=gold'),
  said('label configmap settings tier=silver'),
  said('label configmap settings tier=silver --overwrite'),
  said('label configmap settings tier-'),
  said('annotate bucket files note=one'),
  { args: ['patch', 'configmap', 'settings', MERGE, '-p', '{"data":{"patched":"merge"}}'] },
  { args: ['patch', 'configmap', 'settings', '--type=json', '-p', '[{"op":"remove","path":"/data/patched"}]'] },
  { args: ['patch', 'configmap', 'settings', '--type=json', '-p', '[{"op":"remove","path":"/data/missing"}]'] },
  {
    args: [
      'patch',
      'deployment',
      'web',
      '-p',
      `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"${V2}"}]}}}}`,
    ],
  },
  { args: ['patch', 'bucket', 'files', '-p', '{"spec":{"sizeGiB":5}}'] },
  { args: ['patch', 'bucket', 'files', MERGE, '-p', '{"spec":{"sizeGiB":5}}'] },
  { args: ['patch', 'bucket', 'files', '--subresource=status', MERGE, '-p', '{"status":{"endpoint":"here"}}'] },
  said('scale deployment web --replicas=4'),
  said('scale deployment web --current-replicas=1 --replicas=2'),
  said('scale bucket files --replicas=2'),
  said(`set image deployment/web main=${V1}`),
  said('set env deployment/web MODE=fast'),
  said('autoscale deployment web --min=1 --max=5 --cpu=80%'),
  // Rollouts.
  said('rollout status deployment/web --timeout=30s', {
    meanwhile: [['patch', 'deployment', 'web', '--subresource=status', MERGE, '-p', AVAILABLE.replace(/3/g, '4')]],
  }),
  said('rollout restart deployment/web'),
  said('rollout pause deployment/web'),
  said('rollout resume deployment/web'),
  said('rollout history deployment/web'),
  said('rollout undo deployment/web'),
  said('wait --for=condition=Available deployment/web --timeout=30s'),
  said('wait --for=jsonpath={.data.ready}=yes configmap/settings --timeout=30s', {
    meanwhile: [['patch', 'configmap', 'settings', MERGE, '-p', '{"data":{"ready":"yes"}}']],
  }),
  said('wait --for=delete configmap/settings --timeout=1s'),
  // Creating.
  said('expose deployment web --port=80 --target-port=80'),
  said('expose deployment web --port=80'),
  said('run worker --image=registry.example.com/worker:v1 --restart=Never -- work hard'),
  said('run dry --image=registry.example.com/worker:v1 --dry-run=server -o yaml'),
  said('create deployment made --image=registry.example.com/web:v1 --replicas=2'),
  said('create configmap made --from-literal=a=b'),
  said('create configmap made --from-literal=a=b'),
  said('create secret generic made --from-literal=user=admin'),
  said('create service clusterip plain --tcp=80:8080'),
  said('create job made --image=registry.example.com/worker:v1 -- true'),
  said('create cronjob made --image=registry.example.com/worker:v1 --schedule=@daily -- true'),
  said('create serviceaccount made'),
  said('create role made --verb=get --resource=pods'),
  said('create rolebinding made --role=made --serviceaccount=story:made'),
  said('create quota made --hard=pods=5'),
  said('create poddisruptionbudget made --selector=app=web --min-available=1'),
  said('create priorityclass made --value=10'),
  said('create ingress made --rule=example.com/*=web:80'),
  said('create token made'),
  apply(configMap('replaced: "yes"'), 'replace -f -'),
  apply(configMap('replaced: "yes"', '-missing'), 'replace -f -'),
  said('exec worker -- date'),
  said('logs worker'),
  said('auth can-i create deployments'),
  said('auth whoami'),
  said('events'),
  said('top pods'),
  // Deleting.
  said('delete configmap made --cascade=background'),
  said('delete deployment web --cascade=foreground'),
  said('delete deployment made --cascade=orphan'),
  said('delete pod worker --grace-period=0 --force'),
  said('delete bucket files --wait=false'),
  said('delete configmap missing --ignore-not-found'),
  said('delete configmap missing'),
  said('delete jobs,cronjobs,services --all'),
  said('delete priorityclass made'),
];

export const kubectlStory: Story = {
  client: 'kubectl',
  depth: 'values',
  needs: findKubectl() ?? 'kubectl',
  run: async (told) => {
    const program = findKubectl() ?? 'kubectl';
    for (const [index, step] of STEPS.entries()) await runStep(program, told, step, index);
  },
};

async function runStep(program: string, told: Told, step: Step, index: number): Promise<void> {
  const { server, kubeconfig, folder, done } = told;
  const kubectl = (name: string, args: readonly string[], config: string, input?: string): Running =>
    start(
      {
        file: program,
        args: ['--kubeconfig', config, '--cache-dir', `${config}-cache`, '--namespace', NAMESPACE, ...args],
        env: { KUBE_EDITOR: step.editor ?? 'true', KUBECTL_EXPLAIN_OPENAPIV3: 'true' },
      },
      join(folder, name),
      input,
    );
  const line = step.args.join(' ');
  const running = kubectl(`step-${index}.log`, step.args, kubeconfig, step.input ?? '');
  try {
    if (step.meanwhile !== undefined) {
      // The command must be watching before the objects change.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      for (const [at, args] of step.meanwhile.entries()) {
        const other = kubectl(`step-${index}-${at}.log`, args, server.kubeconfig, '');
        await until(`kubectl ${args.join(' ')}`, TIMEOUT_MS, () => other.ended() !== undefined);
        if (other.ended() !== 'ended with exit code 0')
          throw new StepFailed(`kubectl ${args.join(' ')}: ${other.output()}`);
      }
    }
    const { untilPrinted } = step;
    const over = (): boolean =>
      running.ended() !== undefined || (untilPrinted !== undefined && running.output().includes(untilPrinted));
    await until(`kubectl ${line}`, TIMEOUT_MS, over);
    if (untilPrinted !== undefined) await new Promise((resolve) => setTimeout(resolve, 500));
    const how = running.ended() ?? 'goes on';
    done(`${index} ${line}`, { how, lines: linesOf(running.output()) });
  } finally {
    await running.stop();
  }
}

/** The width of columns depends on ages. */
function linesOf(output: string): readonly string[] {
  return output
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/\s+/g, ' ')
        .replaceAll(/\b(?:\d+[smh])+\b|<invalid>/g, 'AGE')
        .replaceAll(/\/tmp\/\S+/g, 'FILE'),
    )
    .map((line) => symbolicText(line).trim())
    .filter((line) => line !== '');
}
