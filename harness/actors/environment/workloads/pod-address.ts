/** The addresses of pods, in a range that is reserved for tests of networks (RFC 2544): nothing else has them. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';

/** Matches the address of a pod in a text, with a port. */
export const POD_ADDRESS: RegExp = /\b198\.18\.\d{1,3}\.\d{1,3}:\d+/;

/** Returns the address of a pod, by its uid, so that addresses differ between pods, but not between runs that make the same objects. */
export function podAddress(pod: KubeObject): string {
  return `198.18.${hashByte(pod, 0)}.${hashByte(pod, 1)}`;
}

function hashByte(pod: KubeObject, index: number): number {
  const hex = (pod.metadata.uid ?? '').replaceAll(/[^0-9a-f]/g, '');
  return Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16) || 0;
}
