/** The Deployment of a release: its manifest, and which fields this controller owns. All other fields belong to other writers. */
import type { KubernetesObject, V1Deployment, V1OwnerReference } from '@kubernetes/client-node';
import { CONTAINER, type Release, RELEASES } from './types.ts';

const NAME_LABEL = 'app.kubernetes.io/name';

export function nameOf(object: KubernetesObject): string {
  return object.metadata?.name ?? '';
}

/** A new Deployment. It has no `spec.replicas`, which belongs to other writers. */
export function desiredDeployment(release: Release): V1Deployment {
  const labels = { [NAME_LABEL]: nameOf(release) };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: nameOf(release),
      namespace: release.metadata?.namespace ?? '',
      labels,
      ownerReferences: [ownerReference(release)],
    },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: CONTAINER, image: release.spec.image }] } },
    },
  };
}

function ownerReference(release: Release): V1OwnerReference {
  return {
    apiVersion: `${RELEASES.group}/${RELEASES.version}`,
    kind: 'Release',
    name: nameOf(release),
    uid: release.metadata?.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

export function controllerOf(object: KubernetesObject): V1OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((owner) => owner.controller === true);
}

export function isOwnedBy(deployment: V1Deployment, release: Release): boolean {
  return controllerOf(deployment)?.uid === release.metadata?.uid;
}

/** Whether all fields that this controller owns are as the release requires. */
export function isUpToDate(deployment: V1Deployment, release: Release): boolean {
  return (
    isOwnedBy(deployment, release) &&
    deployment.metadata?.labels?.[NAME_LABEL] === nameOf(release) &&
    imageOf(deployment) === release.spec.image
  );
}

/** Edits the fields that this controller owns, and no others. Pass a response or a copy, never an object of the cache. */
export function bringUpToDate(deployment: V1Deployment, release: Release): void {
  const metadata = (deployment.metadata ??= {});
  metadata.labels = { ...metadata.labels, [NAME_LABEL]: nameOf(release) };
  if (!isOwnedBy(deployment, release)) {
    metadata.ownerReferences = [...(metadata.ownerReferences ?? []), ownerReference(release)];
  }
  setImage(deployment, release.spec.image);
}

/** The image of the container that this controller owns. */
export function imageOf(deployment: V1Deployment): string | undefined {
  return deployment.spec?.template.spec?.containers.find(({ name }) => name === CONTAINER)?.image;
}

function setImage(deployment: V1Deployment, image: string): void {
  const containers = deployment.spec?.template.spec?.containers ?? [];
  const ours = containers.find(({ name }) => name === CONTAINER);
  if (ours === undefined) containers.push({ name: CONTAINER, image });
  else ours.image = image;
}
