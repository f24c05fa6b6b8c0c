/**
 * Finds the workload in a project's manifests that is the target, and how it is started.
 *
 * Owns: which workload and which container it is, its arguments, environment, identity and mounted files; paths inside the pod are replaced
 * by paths where a process finds the same files. Does not own: starting it. Start at {@link workloadOf}.
 */
import { basename } from 'node:path';
import { isMap, listOf, mapOf, mapsOf, textOf, textsOf } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { UserInfo } from 'stalemate-apiserver/wire/http';
import { NODE_NAME } from '../../actors/environment/workloads/kubelet.ts';
import type { ProjectManifests } from '../../model/counterexample.ts';
import { configInvalid } from '../config-invalid.ts';
import { accountOf, podOf } from './account.ts';
import { mostGranted } from './grants.ts';

/** A Deployment, StatefulSet or DaemonSet, together with the container in it that is the target. */
export interface TargetWorkload {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly pod: JsonObject;
  readonly container: JsonObject;
}

const KINDS: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);
/** The name that kubebuilder and most other projects give the manager. */
const MANAGER = /(?:^|-)(?:manager|operator|controller)(?:$|-)/;

/** Formats a workload as `Deployment/namespace/name`. */
export function workloadKey({ kind, metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${kind}/${namespace}/${name}`;
}

/**
 * Returns the workload that is the target: the named one, the only one, or the only one of several that has the program as its image,
 * starts it, may write the most custom kinds, or is called a manager; undefined if there are no workloads.
 *
 * @param named A name, with or without kind and namespace.
 * @throws {CONFIG_INVALID} if there is no workload of that name, or if it is ambiguous which workload is the target.
 */
export function findWorkload(
  objects: readonly KubeObject[],
  program: string,
  named: string | undefined,
): KubeObject | undefined {
  const all = objects.filter(({ kind }) => KINDS.has(kind));
  if (named !== undefined) {
    const found = all.find((object) => workloadKey(object) === named || object.metadata.name === named);
    if (found !== undefined) return found;
    throw configInvalid(
      `got deployment "${named}", expected one of the manifests: ${all.map(workloadKey).join(', ') || 'they hold none'}`,
    );
  }
  const [only] = all;
  if (all.length <= 1) return only;
  const guesses = [
    all.filter((object) => containersOf(podOf(object)).some(({ image }) => image === program)),
    all.filter((object) => containersOf(podOf(object)).some((container) => startsProgram(container, program))),
  ];
  for (const guess of guesses) if (guess.length === 1) return guess[0];
  const granted = mostGranted(objects, guesses.find((guess) => guess.length > 1) ?? all);
  if (granted !== undefined) return granted;
  const managers = all.filter((object) => MANAGER.test(object.metadata.name ?? ''));
  if (managers.length === 1) return managers[0];
  throw configInvalid(
    `the manifests hold ${all.length} workloads (${all.map(workloadKey).join(', ')}), expected to know which of them ${program === '' ? 'the target' : `"${program}"`} is; ` +
      'name it with --deployment',
  );
}

/** Returns the parts of a workload that determine how the target runs. `namespace` is the default for objects without one. */
export function workloadOf(object: KubeObject, program: string, namespace: string): TargetWorkload {
  const pod = podOf(object);
  const containers = containersOf(pod);
  const preferred = textOf(
    mapOf(mapOf(mapOf(mapOf(object['spec'])['template'])['metadata'])['annotations'])[
      'kubectl.kubernetes.io/default-container'
    ],
  );
  const container =
    containers.find((one) => one['image'] === program) ??
    containers.find((one) => startsProgram(one, program)) ??
    containers.find((one) => textOf(one['name']) === preferred) ??
    containers.find((one) => MANAGER.test(textOf(one['name']))) ??
    containers[0] ??
    {};
  return { object, namespace: object.metadata.namespace ?? namespace, pod, container };
}

/** Returns the workload that is the target according to stored manifests. */
export function targetWorkload(project: ProjectManifests, namespace: string, program = ''): TargetWorkload | undefined {
  const found = project.objects.find((object) => KINDS.has(object.kind) && workloadKey(object) === project.workload);
  return found === undefined ? undefined : workloadOf(found, program, namespace);
}

/** Returns the user that the target authenticates as. */
export function identityOf(workload: TargetWorkload): UserInfo {
  const { namespace, name } = accountOf(workload);
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}

/**
 * Matches arguments that enable leader election. With it, an incarnation that starts after a crash waits for the previous lease to expire,
 * which takes longer than a whole trial.
 */
const LEADER_ELECTION = /^--?(?:enable-)?leader-elect(?:ion)?(?:=(?:true|1|t))?$/i;

/** Returns arguments without those that enable leader election, with a warning about them, unless the target is declared to elect. */
export function withoutElection(words: readonly string[], elects: boolean, warnings: string[]): readonly string[] {
  const dropped = elects ? [] : words.filter((word) => LEADER_ELECTION.test(word));
  if (dropped.length === 0) return words;
  warnings.push(
    `of the Deployment's arguments, ${dropped.join(' ')} is dropped: after each crash, the next incarnation would wait until the lease of ` +
      'the last one expires; declare leader election (--leader-election) to keep it',
  );
  return words.filter((word) => !dropped.includes(word));
}

const ADDRESS =
  /^(--?[\w-]*(?:addr|address|port|listen)[\w-]*=)((?:https?:\/\/)?(?:[\w.-]*|\[[\da-fA-F:]*\]):)?(\d{2,5})$/i;

/**
 * Returns the arguments for a process: variables expanded, mounted files below `{files}`, each port replaced by a free one (`{port:8081}`),
 * without leader election ({@link withoutElection}).
 */
export function argumentsOf(
  workload: TargetWorkload,
  objects: readonly KubeObject[],
  elects = false,
  warnings: string[] = [],
): readonly string[] {
  const { values } = environmentOf(workload, objects);
  const given = textsOf(workload.container['args']).map((word) => expand(word, values));
  const commandArgs = textsOf(workload.container['command']).slice(1);
  const words = [...commandArgs.map((word) => expand(word, values)), ...given];
  return withoutElection(words, elects, warnings)
    .map((word) => word.replace(ADDRESS, (_, flag: string, host = '', port: string) => `${flag}${host}{port:${port}}`))
    .map((word) => relocated(word, workload));
}

/** Returns the container's variables, with mounted files below `{files}`; `missing` lists the variables without a known value. */
export function environmentOf(
  workload: TargetWorkload,
  objects: readonly KubeObject[],
): { readonly values: { readonly [name: string]: string }; readonly missing: readonly string[] } {
  const values: { [name: string]: string } = {};
  const missing: string[] = [];
  for (const source of mapsOf(workload.container['envFrom'])) {
    const prefix = textOf(source['prefix']);
    for (const [kind, field] of SOURCES) {
      const reference = source[field];
      if (!isMap(reference)) continue;
      const entries = entriesOf(find(objects, kind, workload.namespace, textOf(reference['name'])));
      if (entries === undefined && reference['optional'] !== true) missing.push(`${kind} ${textOf(reference['name'])}`);
      for (const [key, value] of Object.entries(entries ?? {})) values[prefix + key] = value.toString('utf8');
    }
  }
  for (const variable of mapsOf(workload.container['env'])) {
    const name = textOf(variable['name']);
    if (name === '') continue;
    const value = isMap(variable['valueFrom'])
      ? resolved(variable['valueFrom'], workload, objects)
      : relocated(expand(textOf(variable['value']), values), workload);
    if (value === undefined) missing.push(name);
    else if (value !== null) values[name] = value;
  }
  return { values, missing };
}

const SOURCES = [
  ['ConfigMap', 'configMapRef'],
  ['Secret', 'secretRef'],
] as const;
const KEY_SOURCES = [
  ['ConfigMap', 'configMapKeyRef'],
  ['Secret', 'secretKeyRef'],
] as const;

/** Resolves `valueFrom`; `null` if the source is optional and absent, undefined if it is required and absent. */
function resolved(
  from: JsonObject,
  workload: TargetWorkload,
  objects: readonly KubeObject[],
): string | null | undefined {
  if (isMap(from['fieldRef'])) return ofPod(textOf(from['fieldRef']['fieldPath']), workload);
  for (const [kind, field] of KEY_SOURCES) {
    const reference = from[field];
    if (!isMap(reference)) continue;
    const entries = entriesOf(find(objects, kind, workload.namespace, textOf(reference['name'])));
    return entries?.[textOf(reference['key'])]?.toString('utf8') ?? (reference['optional'] === true ? null : undefined);
  }
  return undefined;
}

/** Returns the name of the target's pod, or that of its second copy (`copy` 1). */
export function podName({ object }: TargetWorkload, copy = 0): string {
  return `${object.metadata.name ?? ''}-${copy}`;
}

/** The uid that the variables of the target's pod give; `copy` 1: of its second copy. */
export function podUid(copy = 0): string {
  return `00000000-0000-4000-8000-00000000000${copy + 1}`;
}

/** Returns the value of a field of the target's pod, by its path. */
function ofPod(path: string, workload: TargetWorkload): string | undefined {
  const { object, namespace, pod } = workload;
  const template = mapOf(mapOf(mapOf(object['spec'])['template'])['metadata']);
  const keyed = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (keyed !== null) return textOf(mapOf(template[keyed[1] ?? ''])[keyed[2] ?? '']);
  switch (path) {
    case 'metadata.namespace':
      return namespace;
    case 'metadata.name':
      return podName(workload);
    case 'metadata.uid':
      return podUid();
    case 'spec.serviceAccountName':
      return textOf(pod['serviceAccountName']) || 'default';
    case 'spec.nodeName':
      return NODE_NAME;
    case 'status.podIP':
    case 'status.hostIP':
    case 'status.podIPs':
      return '127.0.0.1';
    default:
      return undefined;
  }
}

/** Expands `$(NAME)` to a variable's value and `$$` to a dollar sign, as in the fields of a container. */
function expand(text: string, values: { readonly [name: string]: string }): string {
  return text.replaceAll(/\$\$|\$\(([\w.-]+)\)/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : (values[name] ?? whole),
  );
}

/** Replaces a path below a mounted volume with the path at which a process finds the file. */
function relocated(word: string, { container }: TargetWorkload): string {
  const paths = mapsOf(container['volumeMounts'])
    .map((mount) => textOf(mount['mountPath']).replace(/\/+$/, ''))
    .filter((path) => path.startsWith('/'))
    .toSorted((a, b) => b.length - a.length);
  const found = paths.find((path) => new RegExp(`(?:^|[=,:])${escaped(path)}(?:$|[/,])`).test(word));
  return found === undefined ? word : word.replace(found, `{files}${found}`);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

export function find(
  objects: readonly KubeObject[],
  kind: string,
  namespace: string,
  name: string,
): KubeObject | undefined {
  return objects.find(
    ({ kind: other, metadata }) =>
      other === kind && metadata.name === name && (metadata.namespace ?? namespace) === namespace,
  );
}

/** Returns the entries of a ConfigMap or Secret as the bytes that a pod would see. */
export function entriesOf(object: KubeObject | undefined): { readonly [key: string]: Buffer } | undefined {
  if (object === undefined) return undefined;
  const texts = Object.entries(mapOf(object[object.kind === 'Secret' ? 'stringData' : 'data']));
  const encoded = Object.entries(mapOf(object[object.kind === 'Secret' ? 'data' : 'binaryData']));
  return Object.fromEntries([
    ...encoded.map(([key, value]) => [key, Buffer.from(textOf(value), 'base64')] as const),
    ...texts.map(([key, value]) => [key, Buffer.from(textOf(value))] as const),
  ]);
}

function containersOf(pod: JsonObject): readonly JsonObject[] {
  return mapsOf(listOf(pod['containers']));
}

function startsProgram(container: JsonObject, program: string): boolean {
  const [first = ''] = textsOf(container['command']);
  return first !== '' && basename(first) === basename(program);
}
