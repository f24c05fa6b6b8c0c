/**
 * Tables of objects: the output of `kubectl get`.
 *
 * Owns: columns and rows for objects, lists, scales and events of watches. Cells of built-in kinds are in `workloads.ts`, `network.ts` and
 * `others.ts`; cells of custom resources come from their definitions. Start at {@link tableOf}.
 */
import { readFileSync } from 'node:fs';
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { type PrinterColumn } from '../definition.ts';
import type { Route } from '../route.ts';
import { since } from './age.ts';
import { compilePath } from './json-path.ts';
import { NETWORK } from './network.ts';
import { OTHERS } from './others.ts';
import { podConditions } from './pods.ts';
import type { Printer } from './printer.ts';
import { at, number, text, type Cell } from './reading.ts';
import { WORKLOADS } from './workloads.ts';

export interface TableOptions {
  /** The `apiVersion` of the table: a version of meta.k8s.io. */
  readonly apiVersion: string;
  /** The resource that the path names; without it, the table has only the default columns, name and creation time. */
  readonly route: Route | undefined;
  /** True if the table includes its column definitions: in a watch, only the first event does. */
  readonly headers: boolean;
  /** Returns the form of an object that is included in its row. */
  readonly row: (object: JsonObject) => JsonObject | null;
  /** The current time for ages, in epoch milliseconds. */
  readonly now: number;
}

type Column = JsonObject;

interface Layout {
  readonly columns: readonly Column[];
  readonly cells: Printer;
}

/** Returns the table of an object or a list. */
export function tableOf(body: JsonObject, options: TableOptions): JsonObject {
  const { apiVersion, route, headers, row, now } = options;
  const { items, metadata } = body;
  const { columns, cells } = layoutOf(route);
  const objects = isList(items) ? items.filter(isMap) : [body];
  const isPod = route?.definition.gr === 'pods';
  if (route?.definition.gr === FLOW_SCHEMAS) objects.sort(byPrecedence);
  return {
    kind: 'Table',
    apiVersion,
    metadata: listMeta(metadata),
    columnDefinitions: headers ? columns : null,
    rows:
      objects.length === 0 && cells === CREATED
        ? null
        : objects.map((object) => {
            const shown = { metadata: {}, ...object } as KubeObject;
            const conditions = isPod ? podConditions(shown) : undefined;
            return {
              cells: cells(shown, now),
              ...(conditions === undefined ? {} : { conditions }),
              object: row(object),
            };
          }),
  };
}

const FLOW_SCHEMAS = 'flowschemas.flowcontrol.apiserver.k8s.io';

/** Compares flow schemas, which are sorted by precedence. */
function byPrecedence(a: JsonObject, b: JsonObject): number {
  const precedence = (one: JsonObject): number => number(at(one, 'spec', 'matchingPrecedence'));
  return precedence(a) - precedence(b) || (text(at(a, 'metadata', 'name')) < text(at(b, 'metadata', 'name')) ? -1 : 1);
}

function listMeta(metadata: JsonValue | undefined): JsonObject {
  const meta: { [key: string]: JsonValue } = {};
  for (const key of ['resourceVersion', 'continue', 'remainingItemCount']) {
    const value = at(metadata, key);
    if (value !== undefined && value !== '') meta[key] = value;
  }
  return meta;
}

interface Generated {
  readonly columns: readonly Column[];
  readonly tables: { readonly [gr: string]: readonly number[] };
}

let generated: Generated | undefined;

/** Loads the columns of a real server, when the first table is requested. */
function load(): Generated {
  generated ??= JSON.parse(readFileSync(new URL('generated/columns.json', import.meta.url), 'utf8')) as Generated;
  return generated;
}

function columnsOf(gr: string): readonly Column[] | undefined {
  const { columns, tables } = load();
  const known = Object.hasOwn(tables, gr) ? tables[gr] : undefined;
  return known?.map((index) => columns[index] ?? {});
}

const CREATED: Printer = (object) => [
  object.metadata.name ?? '',
  object.metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
];

const SCALE: Printer = (object, now) => [
  object.metadata.name ?? '',
  number(at(object, 'spec', 'replicas')),
  number(at(object, 'status', 'replicas')),
  since(object.metadata.creationTimestamp, now),
];

function layoutOf(route: Route | undefined): Layout {
  const { gr = '', custom = false } = route?.definition ?? {};
  if (route?.subresource === 'scale') return { columns: scaleColumns(custom), cells: SCALE };
  if (custom) return customLayout(route?.version.printerColumns ?? AGE_ONLY);
  const cells = WORKLOADS[gr] ?? NETWORK[gr] ?? OTHERS[gr];
  const columns = columnsOf(gr);
  if (cells !== undefined && columns !== undefined) return { columns, cells };
  // Kinds without columns of their own have a name and a creation time, as in a real server.
  return { columns: columnsOf('limitranges') ?? [], cells: CREATED };
}

function scaleColumns(custom: boolean): readonly Column[] {
  const [name, , , , age] = columnsOf('replicasets.apps') ?? [];
  const count = (called: string, description: string): Column => ({
    name: called,
    type: 'integer',
    format: '',
    description,
    priority: 0,
  });
  return [
    custom ? { ...name } : { ...name, format: '' },
    count(
      'Desired',
      custom ? 'Number of desired replicas' : 'replicas is the desired number of instances for the scaled object.',
    ),
    count(
      'Available',
      custom
        ? 'Number of actual replicas'
        : 'replicas is the actual number of observed instances of the scaled object.',
    ),
    custom ? { ...age, type: 'date' } : { ...age },
  ];
}

const AGE_ONLY: readonly PrinterColumn[] = [
  {
    name: 'Age',
    type: 'date',
    format: '',
    description:
      'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
    priority: 0,
    jsonPath: '.metadata.creationTimestamp',
  },
];

const layouts = new WeakMap<readonly PrinterColumn[], Layout>();

function customLayout(printed: readonly PrinterColumn[]): Layout {
  const known = layouts.get(printed);
  if (known !== undefined) return known;
  const columns = printed.map(({ name, type, format, description, priority, jsonPath }) => ({
    name,
    type,
    format,
    description:
      description === '' ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description,
    priority,
  }));
  const readers = printed.map(({ type, jsonPath }) => {
    const path = compilePath(jsonPath);
    return (object: KubeObject, now: number): Cell => customCell(type, path?.(object)[0], now);
  });
  const layout: Layout = {
    columns: [...(columnsOf('limitranges') ?? []).slice(0, 1), ...columns],
    cells: (object, now) => [object.metadata.name ?? '', ...readers.map((read) => read(object, now))],
  };
  layouts.set(printed, layout);
  return layout;
}

/** Returns a value converted to its column's type; null if the value has another type. */
function customCell(type: string, value: JsonValue | undefined, now: number): Cell {
  if (value === undefined || value === null) return type === 'string' && value === null ? '' : null;
  switch (type) {
    case 'string':
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : since(value, now);
    default:
      return null;
  }
}
