/**
 * Resolves a project's manifests together with a command: the objects to install, the target's identity, its arguments.
 *
 * Owns: the decisions, and the warnings about them. Does not own: reading (`load.ts`), installing (`install.ts`). Start at {@link
 * resolveProject}.
 */
import { mapOf } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ProcessTarget, ProjectManifests } from '../../model/counterexample.ts';
import { declaredKinds, loadCrds, withoutConversionWebhooks } from './manifests.ts';
import { bindsAnything } from './access.ts';
import { argumentsOf, environmentOf, findWorkload, identityOf, workloadKey, workloadOf } from './deployment.ts';
import type { TargetWorkload } from './deployment.ts';
import { unserved } from './install.ts';
import { asPod, noDeployment } from './as-pod.ts';
import { loadProject, type Project } from './load.ts';
import { isForCertManager } from './certificates.ts';
import { convertsItself, keepOwnWebhooks } from './webhooks.ts';
import { configInvalid } from '../config-invalid.ts';

/** The choices from the command line and the configuration; paths are absolute. */
export interface ProjectChoices {
  readonly crds: readonly string[];
  readonly manifests: readonly string[];
  /** The process target; `null` for a target that is a module. */
  readonly process: ProcessTarget | null;
  /** The namespace of objects that have none. */
  readonly namespace: string;
  /** The name of the workload that is the target; needed only if that is ambiguous. */
  readonly deployment: string | undefined;
  /** Whether the target is declared to elect a leader; otherwise the flag for that is left out of its arguments. */
  readonly elects: boolean;
  /** Whether roles are enforced; by default, they are if the manifests bind any. */
  readonly authorization: ProjectManifests['authorization'] | undefined;
  /** The kinds that the server knows without a CRD, as `apiVersion/Kind`. */
  readonly builtIn: ReadonlySet<string>;
}

export interface ResolvedProject {
  readonly crds: readonly KubeObject[];
  /** The resolved manifests; `null` if none are named. */
  readonly project: ProjectManifests | null;
  /** The process target, with the arguments of its container added if the command has none; `null` for a module. */
  readonly process: ProcessTarget | null;
  readonly warnings: readonly string[];
}

/**
 * Reads the manifests and resolves them.
 *
 * @throws {CONFIG_INVALID} if it is ambiguous which workload is the target.
 * @throws {MANIFEST_INVALID}
 */
export function resolveProject(choices: ProjectChoices): ResolvedProject {
  const named = loadCrds(choices.crds);
  if (choices.manifests.length === 0) {
    for (const [option, value] of [
      ['deployment', choices.deployment],
      ['authorization', choices.authorization],
    ]) {
      if (value === undefined) continue;
      throw configInvalid(
        `got ${option} "${value}" without manifests, expected the manifests that it refers to; name them with --manifests`,
      );
    }
    return { ...withoutConversionWebhooks(named), project: null, process: choices.process };
  }
  const shipped = loadProject(choices.manifests);
  const names = new Set(named.map(({ metadata }) => metadata.name));
  const own = shipped.crds.filter(({ metadata }) => !names.has(metadata.name));
  const converting = named.map((crd) => convertedAs(shipped.crds, crd));
  const resolved = decide(shipped, [...converting, ...own], choices);
  return { ...resolved, warnings: [...shipped.warnings, ...resolved.warnings] };
}

/** Copies the conversion of the shipped CRD, which is patched, to the generated CRD, which has none. */
function convertedAs(shipped: readonly KubeObject[], crd: KubeObject): KubeObject {
  const { conversion } = mapOf(shipped.find(({ metadata }) => metadata.name === crd.metadata.name)?.['spec']);
  const spec = mapOf(crd['spec']);
  return conversion === undefined || spec['conversion'] !== undefined ? crd : { ...crd, spec: { ...spec, conversion } };
}

function decide(shipped: Project, definitions: readonly KubeObject[], choices: ProjectChoices): ResolvedProject {
  const { process: started, namespace } = choices;
  const warnings: string[] = [];
  const served = new Set([...choices.builtIn, ...declaredKinds(definitions)]);
  const installable = shipped.objects.filter(
    (object) => served.has(`${object.apiVersion}/${object.kind}`) || isForCertManager(object),
  );
  const left = unserved(
    shipped.objects.filter((object) => !isForCertManager(object)),
    served,
  );
  if (left.length > 0)
    warnings.push(`of the manifests, ${left.join(', ')} are skipped: no CRD declares them, name theirs with --crds`);

  const program = started?.command[0] ?? '';
  const found = findWorkload(installable, program, choices.deployment);
  const workload = found === undefined ? undefined : workloadOf(found, program, namespace);
  const { crds, objects } = withOwnWebhooks(installable, definitions, askable(workload, started), warnings);
  const authorization = choices.authorization ?? (found !== undefined && bindsAnything(objects) ? 'rbac' : 'allow-all');
  if (workload === undefined) {
    if (started?.inCluster === true) throw noDeployment(program);
    if (authorization === 'rbac') {
      throw configInvalid(
        'got authorization "rbac" and manifests without a Deployment, expected one whose service account the target is',
      );
    }
    warnings.push(
      'the manifests hold no Deployment: the target may do everything, and is started with the command as given',
    );
    return { crds, project: { objects, authorization }, process: started, warnings };
  }
  if (authorization === 'allow-all')
    warnings.push(`the manifests bind no role: ${identityOf(workload).name} may do everything`);
  return {
    crds,
    project: { objects, authorization, workload: workloadKey(workload.object) },
    process:
      started === null
        ? null
        : started.inCluster
          ? asPod(started, workload, choices.elects, warnings)
          : withArguments(started, workload, objects, choices.elects, warnings),
    warnings,
  };
}

/** Returns the workload if its webhooks can be called; otherwise the reason, as the end of a sentence about a skipped webhook. */
function askable(workload: TargetWorkload | undefined, started: ProcessTarget | null): TargetWorkload | string {
  const instead = 'as a program, -- COMMAND, it is called';
  if (workload === undefined) return 'no Deployment of the manifests serves it';
  // A module cannot serve webhooks: virtual time does not wait for sockets.
  if (started === null) return `the target is a module, which does not listen (${instead})`;
  return started.inCluster ? `the target is a pod, to which no Service is routed (${instead})` : workload;
}

/** Keeps only the webhooks that the target serves, and warns about each of the others. */
function withOwnWebhooks(
  installable: readonly KubeObject[],
  definitions: readonly KubeObject[],
  workload: TargetWorkload | string,
  warnings: string[],
): Pick<ResolvedProject, 'crds'> & { readonly objects: readonly KubeObject[] } {
  const admission = keepOwnWebhooks(installable, workload);
  const conversion = withoutConversionWebhooks(
    definitions,
    (crd) => convertsItself(crd, installable, workload),
    typeof workload === 'string' ? workload : undefined,
  );
  warnings.push(...admission.warnings, ...conversion.warnings);
  return { crds: conversion.crds, objects: admission.objects };
}

/** Adds the container's arguments to a command without arguments. */
function withArguments(
  started: ProcessTarget,
  workload: TargetWorkload,
  objects: readonly KubeObject[],
  elects: boolean,
  warnings: string[],
): ProcessTarget {
  const { missing } = environmentOf(workload, objects);
  if (missing.length > 0)
    warnings.push(
      `of the Deployment's environment, nothing in the manifests sets ${missing.join(', ')}: set it in "env"`,
    );
  if (started.command.length !== 1) return started;
  return { ...started, command: [...started.command, ...argumentsOf(workload, objects, elects, warnings)] };
}
