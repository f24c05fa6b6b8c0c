/** A signature in documents, where its kind and field have longer names. */
import { z } from 'zod';
import type { Signature } from '../model/signature.ts';

export interface ShownSignature {
  readonly property: string;
  readonly class: string;
  readonly resource: string;
  readonly field: string;
}

export function shownSignature({ property, class: kind, kind: resource, field }: Signature): ShownSignature {
  return { property, class: kind, resource, field };
}

/** Schemas of the fields of {@link ShownSignature}, for documents that add more fields. */
export const SIGNATURE_FIELDS: { readonly [name in keyof ShownSignature]: z.ZodString } = {
  property: z.string(),
  class: z.string(),
  resource: z.string(),
  field: z.string(),
};
