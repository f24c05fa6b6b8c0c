/** Names a finding on its first line and in its file name. */
import { fileKey } from '../model/cause.ts';
import type { Violation } from '../model/check-result.ts';
import type { Signature } from '../model/signature.ts';

/** Titles by property and, for properties with several classes, by class. A user's own property is its own title. */
const TITLES: { readonly [propertyAndClass: string]: string } = {
  convergence: 'NOT CONVERGED',
  'no-lost-update': 'LOST UPDATE',
  'no-lost-update/blind-overwrite': 'BLIND OVERWRITE',
  'bounded-rate': 'UNBOUNDED RATE',
  cardinality: 'TOO MANY CHILDREN',
  'truthful-status': 'UNTRUE STATUS',
  'deletion-completes': 'BROKEN DELETION',
  'no-resurrection': 'RESURRECTED',
  'no-mistaken-deletion': 'DELETED ANOTHER',
  'crash-equivalence': 'NOT CRASH-SAFE',
  'idempotent-effects': 'LEAKED OUTSIDE',
  'idempotent-effects/duplicated': 'MADE TWICE',
  'one-active-leader': 'TWO LEADERS',
  survival: 'DID NOT SURVIVE',
};

/** Returns the title of a finding, such as `LOST UPDATE`. */
export function titleOf(signature: Signature): string {
  const title = TITLES[`${signature.property}/${signature.class}`] ?? TITLES[signature.property];
  return title ?? signature.property.replaceAll('-', ' ').toUpperCase();
}

/**
 * Returns a finding's file name without extension, such as `lost-update-7f3a91`; findings with the same cause get the same number wherever
 * they are found, unless different bugs may have that cause.
 */
export function fileStem(of: Pick<Violation, 'cause' | 'signature'>): string {
  const words = titleOf(of.signature)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `${words}-${shortHash(fileKey(of))}`;
}

/** Computes 24 bits of FNV-1a: for names, not for security. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return ((hash >>> 8) ^ (hash & 0xff)).toString(16).padStart(6, '0');
}
