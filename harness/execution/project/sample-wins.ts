/**
 * Decides which object is used if the manifests and the sample contain the same one.
 *
 * It is the sample's object, because the user creates it in each run. A namespace is the exception: it comes from the manifests, because it
 * has to exist before the objects in them. Owns: the choice, and the warning about it. Start at {@link settleDoubles}.
 */
import { parseApiVersion, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { ProjectManifests } from '../../model/counterexample.ts';

export interface Settled {
  readonly project: ProjectManifests;
  readonly samples: readonly KubeObject[];
  readonly warnings: readonly string[];
}

/**
 * Decides which of the duplicate objects are used.
 *
 * @param namespace The namespace of objects that have none.
 */
export function settleDoubles(project: ProjectManifests, samples: readonly KubeObject[], namespace: string): Settled {
  const shipped = new Set(project.objects.map((object) => identityOf(object, namespace)));
  const doubles = samples.filter((sample) => shipped.has(identityOf(sample, namespace)));
  if (doubles.length === 0) return { project, samples, warnings: [] };
  const chosen = new Map(doubles.filter(isPlain).map((sample) => [identityOf(sample, namespace), sample]));
  return {
    // Mounts and environment variables use the sample's object too.
    project: {
      ...project,
      objects: project.objects.map((object) => chosen.get(identityOf(object, namespace)) ?? object),
    },
    samples: samples.filter((sample) => isPlain(sample) || !doubles.includes(sample)),
    warnings: doubles.map((sample) => {
      const name = [sample.metadata.namespace, sample.metadata.name].filter((part) => part !== undefined).join('/');
      const taken = isPlain(sample)
        ? 'the sample’s is taken, created in each run where the sample has it'
        : 'the manifests’ is taken, for it has to be there before their objects';
      return `${sample.kind} ${name} is both in the manifests and in the sample: ${taken}; leave it out of one of them`;
    }),
  };
}

/** Returns the objects of a project that exist before the sample is applied. */
export function withoutSamples(
  { objects }: ProjectManifests,
  samples: readonly KubeObject[],
  namespace: string,
): readonly KubeObject[] {
  const later = new Set(samples.map((sample) => identityOf(sample, namespace)));
  return objects.filter((object) => !later.has(identityOf(object, namespace)));
}

function isPlain({ kind }: KubeObject): boolean {
  return kind !== 'Namespace';
}

function identityOf({ apiVersion, kind, metadata }: KubeObject, namespace: string): string {
  return `${parseApiVersion(apiVersion).group}/${kind}/${metadata.namespace ?? namespace}/${metadata.name ?? ''}`;
}
