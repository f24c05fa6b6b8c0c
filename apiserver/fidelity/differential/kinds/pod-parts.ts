/** Parts of pod specs, shared by all kinds with pods or templates. */
import type { JsonObject } from '../../../objects/object.ts';

export const POD_SPEC: JsonObject = { containers: [{ name: 'c', image: 'i:1' }] };
export const TEMPLATE: JsonObject = { metadata: { labels: { app: 'a' } }, spec: POD_SPEC };
export const SELECTOR: JsonObject = { matchLabels: { app: 'a' } };
