import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import type { PrinterColumn } from '../definition.ts';
import type { Route } from '../route.ts';
import { EPOCH_MS, testServer, widget, WIDGETS_PATH } from '../testing.ts';
import { humanDuration } from './age.ts';
import { compilePath } from './json-path.ts';
import { tableOf, type TableOptions } from './table.ts';

/** What kube-apiserver 1.36.3 returned: objects and their tables. */
interface Recorded {
  readonly gr: string;
  readonly object: KubeObject;
  readonly cells: readonly JsonValue[];
  readonly conditions?: JsonValue;
}

const RECORDED = JSON.parse(
  readFileSync(new URL('generated/recorded.json', import.meta.url), 'utf8'),
) as readonly Recorded[];

function routeTo(gr: string, more: Partial<Route['version']> = {}, custom = false): Route {
  return { definition: { gr, custom }, version: more, subresource: '' } as unknown as Route;
}

function options(route: Route, more: Partial<TableOptions> = {}): TableOptions {
  return { apiVersion: 'meta.k8s.io/v1', route, headers: true, row: () => null, now: EPOCH_MS, ...more };
}

/** Returns cells without ages, which depend on when the objects were recorded. */
function ageless(cells: JsonValue | undefined): string {
  return JSON.stringify(cells).replaceAll(/\b(\d+[smhdy])(\d+[smhd])?\b|<invalid>/g, 'AGE');
}

it.each(RECORDED.map((one) => [`${one.gr} ${one.object.metadata.name ?? ''}`, one] as const))(
  'shows %s as the real server does (20)',
  (_, { gr, object, cells, conditions }) => {
    const [row] = tableOf(object, options(routeTo(gr)))['rows'] as readonly [JsonObject];

    expect(ageless(row['cells'])).toBe(ageless(cells));
    expect(row['conditions']).toEqual(conditions);
  },
);

it('sorts flow schemas by precedence', () => {
  const items = [2, 1].map((matchingPrecedence) => ({ metadata: { name: 'x' }, spec: { matchingPrecedence } }));
  const list = { kind: 'FlowSchemaList', apiVersion: 'flowcontrol.apiserver.k8s.io/v1', metadata: {}, items };

  const { rows } = tableOf(list, options(routeTo('flowschemas.flowcontrol.apiserver.k8s.io')));

  expect((rows as readonly { readonly cells: JsonValue[] }[]).map(({ cells }) => cells[2])).toEqual([1, 2]);
});

it('has the version and the continue token of the list (20)', () => {
  const metadata = { resourceVersion: '7', continue: 'x', remainingItemCount: 3 };

  const table = tableOf({ kind: 'PodList', apiVersion: 'v1', metadata, items: [] }, options(routeTo('pods')));

  expect(table).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, rows: [] });
  expect((table['columnDefinitions'] as readonly JsonObject[]).slice(0, 2)).toMatchObject([
    { name: 'Name', type: 'string', format: 'name', priority: 0 },
    { name: 'Ready', type: 'string', format: '', priority: 0 },
  ]);
});

it('converts the bookmark of a watch to an empty row', () => {
  const bookmark = { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '7' } };

  expect(tableOf(bookmark, options(routeTo('pods'), { headers: false }))).toMatchObject({
    columnDefinitions: null,
    rows: [{ cells: ['', '0/0', '', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'] }],
  });
});

describe('a custom resource', () => {
  const column = (name: string, type: string, jsonPath: string): PrinterColumn => ({
    name,
    type,
    jsonPath,
    format: '',
    description: '',
    priority: 0,
  });
  const printerColumns = [
    column('Size', 'integer', '.spec.size'),
    column('Ready', 'string', '.status.conditions[?(@.type=="Ready")].status'),
    column('Since', 'date', '.spec.since'),
    column('Map', 'string', '.spec.map'),
    column('Wrong', 'boolean', '.spec.size'),
  ];
  const since = new Date(EPOCH_MS - 90_000).toISOString();
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  const object = { ...widget('a', { size: 3.7, since, map: { b: 1 } }), status };

  it('has the columns of its definition (20)', () => {
    const table = tableOf(object, options(routeTo('widgets.example.com', { printerColumns }, true)));

    expect(table['rows']).toEqual([{ cells: ['a', 3, 'True', '90s', '{"b":1}', null], object: null }]);
    expect((table['columnDefinitions'] as readonly JsonObject[])[1]).toEqual({
      name: 'Size',
      type: 'integer',
      format: '',
      description: 'Custom resource definition column (in JSONPath format): .spec.size',
      priority: 0,
    });
  });

  it('has null for missing values', () => {
    const table = tableOf(widget('a', {}), options(routeTo('widgets.example.com', { printerColumns }, true)));

    expect(table['rows']).toEqual([{ cells: ['a', null, null, null, null, null], object: null }]);
  });

  it('has an age column when its definition has no columns (20)', () => {
    const { server, request } = testServer();
    const { object } = request('POST', WIDGETS_PATH, widget('a'));
    const bare = server.routeOf(WIDGETS_PATH);
    const { printerColumns: _, ...version } = bare?.version ?? {};

    const table = tableOf(object, options({ ...bare, version } as Route, { now: EPOCH_MS + 5000 }));

    expect(table['rows']).toEqual([{ cells: ['a', '5s'], object: null }]);
  });
});

it('shows the counts of a scale (20)', () => {
  const scale = {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'a' },
    spec: { replicas: 3 },
    status: {},
  };

  const table = tableOf(scale, options({ ...routeTo('deployments.apps'), subresource: 'scale' }));

  expect(table['rows']).toEqual([{ cells: ['a', 3, 0, '<unknown>'], object: null }]);
});

it('shows name and time for kinds without columns (20)', () => {
  const object = {
    kind: 'Role',
    apiVersion: 'x/v1',
    metadata: { name: 'a', creationTimestamp: '2024-01-01T00:00:00Z' },
  };
  const route = routeTo('roles.rbac.authorization.k8s.io');

  expect(tableOf(object, options(route))).toMatchObject({
    columnDefinitions: [{ name: 'Name' }, { name: 'Created At', type: 'date' }],
    rows: [{ cells: ['a', '2024-01-01T00:00:00Z'] }],
  });
  expect(tableOf({ kind: 'RoleList', apiVersion: 'x/v1', metadata: {}, items: [] }, options(route))['rows']).toBeNull();
});

it('formats ages as Go’s HumanDuration does', () => {
  const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
  const cases: readonly (readonly [number, string])[] = [
    [-2 * second, '<invalid>'],
    [-second, '0s'],
    [119 * second, '119s'],
    [2 * minute, '2m'],
    [6 * minute + 24 * second, '6m24s'],
    [45 * minute, '45m'],
    [3 * hour, '3h'],
    [7 * hour + 59 * minute, '7h59m'],
    [30 * hour, '30h'],
    [3 * day + 5 * hour, '3d5h'],
    [300 * day, '300d'],
    [3 * 365 * day + 2 * day, '3y2d'],
    [9 * 365 * day, '9y'],
  ];
  for (const [span, text] of cases) expect(humanDuration(span)).toBe(text);
});

it('evaluates the paths of printer columns', () => {
  const value = {
    a: {
      'b.c': [1, 2, 3],
      d: [
        { n: 'x', v: 1 },
        { n: 'y', v: 2 },
      ],
    },
  };
  const all = (path: string): readonly JsonValue[] | undefined => compilePath(path)?.(value);

  expect(all(".a['b.c'][0]")).toEqual([1]);
  expect(all('.a.b\\.c[-1]')).toEqual([3]);
  expect(all('.a["b.c"][1:]')).toEqual([2, 3]);
  expect(all('.a.d[*].n')).toEqual(['x', 'y']);
  expect(all('.a.d[?(@.n=="y")].v')).toEqual([2]);
  expect(all('.a.d[?(@.v>1)].n')).toEqual(['y']);
  expect(all('..v')).toEqual([1, 2]);
  expect(all('.missing.x')).toEqual([]);
  expect(all('.a[')).toBeUndefined();
});
