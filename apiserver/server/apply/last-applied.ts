/** kubectl's last-applied annotation: client-side apply writes it, and server-side apply keeps it up to date. */
import { sortedKeys } from '../../objects/json.ts';
import type { KubeObject } from '../../objects/object.ts';

export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The limit on all annotations together, keys included, in bytes. */
const ANNOTATIONS_MAX_BYTES = 256 * 1024;

/**
 * Returns the object with the annotation set to the applied configuration. An object that does not have the annotation is returned
 * unchanged.
 */
export function withLastApplied(object: KubeObject, config: KubeObject): KubeObject {
  const { annotations } = object.metadata;
  const current = annotations?.[LAST_APPLIED];
  if (annotations === undefined || current === undefined || current === '') return object;
  const { [LAST_APPLIED]: _, ...own } = config.metadata.annotations ?? {};
  const { annotations: __, ...metadata } = config.metadata;
  const kept = Object.keys(own).length === 0 ? metadata : { ...metadata, annotations: own };
  const text = `${JSON.stringify(sortedKeys({ ...config, metadata: kept }))}\n`;
  const { [LAST_APPLIED]: ___, ...others } = annotations;
  const next = { ...others, [LAST_APPLIED]: text };
  let bytes = 0;
  for (const [key, value] of Object.entries(next)) bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  return { ...object, metadata: { ...object.metadata, annotations: bytes > ANNOTATIONS_MAX_BYTES ? others : next } };
}
