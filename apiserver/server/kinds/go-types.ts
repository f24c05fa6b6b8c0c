/**
 * The Go types behind the built-in kinds, as generated data: fields, their types, and how lists merge.
 *
 * Owns: loading `generated/types.json` lazily, because it would slow down every start, and parsing type expressions. Does not own: their
 * use (`go-decode.ts`, `builtin-node.ts`). Written by `apiserver/scripts/generate-builtins.ts`.
 */
import { createRequire } from 'node:module';
import type { JsonValue } from '../../objects/object.ts';

/** How values of a field or type merge. */
export interface Merging {
  readonly listType?: string;
  readonly listKeys?: readonly string[];
  readonly mapType?: string;
  /** The map type of the items, when they are references. */
  readonly itemMapType?: string;
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly default?: JsonValue;
  readonly enum?: readonly JsonValue[];
}

export interface FieldFacts extends Merging {
  /** True if the field is written even when empty. `zero`: omitted only when the whole value is zero. */
  readonly kept?: boolean | 'zero';
  /** Names of the embedded structs that contain the field. */
  readonly via?: readonly string[];
}

export type FieldEntry = readonly [name: string, type: string, facts?: FieldFacts];

export interface StructEntry extends Merging {
  readonly fields: readonly FieldEntry[];
  readonly required?: readonly string[];
}

interface TypesFile {
  /** The Go type of each kind, by `apps/v1/Deployment`. */
  readonly kinds: { readonly [apiVersionAndKind: string]: string };
  /** A struct, or the target of an alias. */
  readonly types: { readonly [name: string]: StructEntry | string };
}

let file: TypesFile | undefined;

function types(): TypesFile {
  file ??= createRequire(import.meta.url)('./generated/types.json') as TypesFile;
  return file;
}

/** Returns the Go type of a kind; undefined when it is not built in. */
export function goTypeOfKind(apiVersion: string, kind: string): string | undefined {
  return types().kinds[`${apiVersion}/${kind}`];
}

/** A parsed Go type. `printed` is its name in errors of Go's decoder. */
export type GoType =
  | { readonly is: 'pointer'; readonly to: string }
  | { readonly is: 'list'; readonly of: string }
  | { readonly is: 'map'; readonly of: string }
  | { readonly is: 'struct'; readonly name: string; readonly entry: StructEntry }
  | { readonly is: 'scalar'; readonly name: string };

/** Parses a type expression; aliases are resolved. */
export function readGoType(expression: string): GoType {
  if (expression.startsWith('*')) return { is: 'pointer', to: expression.slice(1) };
  if (expression === '[]byte' || expression === '[]uint8') return { is: 'scalar', name: 'bytes' };
  if (expression.startsWith('[]')) return { is: 'list', of: expression.slice(2) };
  if (expression.startsWith('map[')) return { is: 'map', of: expression.slice(expression.indexOf(']') + 1) };
  const entry = types().types[expression];
  if (entry === undefined) return { is: 'scalar', name: expression };
  return typeof entry === 'string' ? readGoType(entry) : { is: 'struct', name: expression, entry };
}

/** Returns a type as Go prints it: `v1.PodSpec`, `[]v1.Container`, `map[string]string`, `int32`. */
export function printedGoType(expression: string): string {
  return expression
    .replace(/^\*/, '')
    .replaceAll(/[\w-]+(?:\/[\w-]+)*\/([\w-]+\.\w+)/g, '$1')
    .replaceAll(/(?<![\w.])(Time|MicroTime|Duration|FieldsV1)(?![\w.])/g, 'v1.$1')
    .replaceAll(/(?<![\w.])(Quantity)(?![\w.])/g, 'resource.$1')
    .replaceAll(/(?<![\w.])(IntOrString)(?![\w.])/g, 'intstr.$1')
    .replaceAll(/(?<![\w.])(RawExtension)(?![\w.])/g, 'runtime.$1')
    .replaceAll('[]byte', '[]uint8');
}
