/**
 * The fields of the messages of built-in kinds.
 *
 * Owns: the format of `generated/descriptors.json` (see `apiserver/scripts/generate-protobuf.ts`) and finding a kind's message.
 */
import generated from './generated/descriptors.json' with { type: 'json' };

/** Number, JSON name, type, flags, and Go's name unless that is the capitalised JSON name. */
type Row = readonly [number, string, string, string, string?];

export type ScalarType = 'string' | 'bytes' | 'bool' | 'int32' | 'int64' | 'uint32' | 'double';

export interface Field {
  readonly id: number;
  readonly name: string;
  readonly goName: string;
  readonly scalar: ScalarType | undefined;
  /** The message type of a non-scalar field. */
  readonly message: string;
  readonly repeated: boolean;
  readonly map: boolean;
  /** True if the field is a pointer in Go, so that absent and zero differ. */
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  /** True if the message's fields are inlined into the outer message. */
  readonly inline: boolean;
}

export interface Message {
  /** The name of the message, for example `core/v1.Pod`. */
  readonly name: string;
  readonly fields: readonly Field[];
  /** The fields by field number. */
  readonly byId: readonly (Field | undefined)[];
  /** True for a message that is a list in JSON: `ExtraValue`, `Verbs`. */
  readonly bareList: boolean;
}

const SCALARS: ReadonlySet<string> = new Set<ScalarType>([
  'string',
  'bytes',
  'bool',
  'int32',
  'int64',
  'uint32',
  'double',
]);

interface Descriptors {
  readonly groups: { readonly [apiVersion: string]: string };
  readonly messages: { readonly [name: string]: readonly Row[] };
}

const descriptors = generated as unknown as Descriptors;
const messages = new Map<string, Message | undefined>();

/** Returns the message with a name such as `core/v1.Pod`. */
export function messageNamed(name: string): Message | undefined {
  if (messages.has(name)) return messages.get(name);
  const rows = Object.hasOwn(descriptors.messages, name) ? descriptors.messages[name] : undefined;
  const message = rows === undefined ? undefined : messageOf(name, rows);
  messages.set(name, message);
  return message;
}

/** Returns the message of a kind; kinds of meta.k8s.io exist in every group. */
export function messageOfKind(apiVersion: string, kind: string): Message | undefined {
  const { groups } = descriptors;
  const group = META[apiVersion] ?? (Object.hasOwn(groups, apiVersion) ? groups[apiVersion] : undefined);
  const own = group === undefined ? undefined : messageNamed(`${group}.${kind}`);
  return own ?? (EVERYWHERE.has(kind) ? messageNamed(`meta/v1.${kind}`) : undefined);
}

const META: { readonly [apiVersion: string]: string | undefined } = {
  'meta.k8s.io/v1': 'meta/v1',
  'meta.k8s.io/v1beta1': 'meta/v1beta1',
};

/** Types that exist in every group. */
const EVERYWHERE: ReadonlySet<string> = new Set([
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'Status',
  'UpdateOptions',
  'WatchEvent',
  'PartialObjectMetadata',
]);

function messageOf(name: string, rows: readonly Row[]): Message {
  const folder = name.slice(0, name.lastIndexOf('.'));
  const fields = rows.map(([id, json, type, flags, goName]): Field => {
    const scalar = SCALARS.has(type) ? (type as ScalarType) : undefined;
    return {
      id,
      name: json,
      goName: goName ?? json.slice(0, 1).toUpperCase() + json.slice(1),
      scalar,
      message: scalar !== undefined ? '' : type.startsWith('.') ? folder + type : type,
      repeated: flags.includes('r'),
      map: flags.includes('m'),
      pointer: flags.includes('p'),
      omitEmpty: flags.includes('o'),
      inline: flags.includes('i'),
    };
  });
  const byId: (Field | undefined)[] = [];
  for (const field of fields) byId[field.id] = field;
  const [only] = fields;
  const bareList = fields.length === 1 && only?.name === 'items' && only.scalar === 'string';
  return { name, fields, byId, bareList };
}
