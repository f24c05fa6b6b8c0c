/** Kinds of custom resources, which differ in their definitions (`crds.ts`). */
import type { JsonObject } from '../../../objects/object.ts';
import { GROUP } from '../crds.ts';
import { kindOf, type ComparedKind } from './compared-kind.ts';

const CUSTOM_FRAGMENTS: readonly JsonObject[] = [
  { spec: { size: 2 } },
  { spec: { size: 3, colour: 'blue' } },
  { spec: { parts: [{ name: 'a', count: 2 }, { name: 'b' }] } },
  { spec: { parts: [{ name: 'b', count: 5 }] } },
  { spec: { tags: ['x', 'y'] } },
  { spec: { tags: ['y', 'z'] } },
  { spec: { free: { any: { thing: [1, 'two', null] } } } },
  { spec: { labels: { one: '1', two: '2' } } },
  { spec: { labels: { one: null, three: '3' } } },
  { spec: { atomicMap: { a: '1' } } },
  { spec: { atomicMap: { b: '2' } } },
  { spec: { plainList: [1, 2] } },
  { spec: { port: 'http' } },
  { spec: { port: 80, replicas: 3 } },
  { spec: { note: null } },
  { spec: { colour: null } },
  { spec: {} },
  { spec: null },
  { status: { phase: 'Ready' } },
  // Fragments that are refused or pruned.
  { spec: { size: 'three' } },
  { spec: { size: -1 } },
  { spec: { size: 101, colour: 'green' } },
  { spec: { colour: 7 } },
  { spec: { note: 'longer than ten' } },
  { spec: { word: 'UPPER' } },
  { spec: { tags: ['x', 'x'] } },
  { spec: { parts: [{ name: 'a' }, { name: 'a' }] } },
  { spec: { parts: [{ count: 1 }] } },
  { spec: { plainList: [1, 2, 3, 4] } },
  { spec: { unknown: 1 }, other: true },
  { spec: 'text' },
  { spec: { labels: { one: 1 } } },
  { spec: { size: 1.5 } },
];

const CUSTOM_STATUSES: readonly JsonObject[] = [
  { status: { phase: 'Ready' } },
  { status: { phase: 'Failed', replicas: 2, selector: 'app=a' } },
  { status: { conditions: [{ type: 'A', status: 'True' }] } },
  { status: { conditions: [{ type: 'B', status: 'False' }] } },
  { status: { phase: 7 } },
  { status: { conditions: [{ type: 'B' }] } },
  { status: { unknown: 1 } },
  { status: null },
  { status: { phase: 'Ready' }, spec: { size: 50 }, metadata: { labels: { via: 'status' }, finalizers: ['x.io/s'] } },
];

const custom = (id: string, kind: string, more: Partial<ComparedKind> = {}): ComparedKind =>
  kindOf(id, `${GROUP}/v1`, kind, {
    family: 'custom',
    base: { spec: { size: 1 } },
    fragments: CUSTOM_FRAGMENTS,
    statuses: CUSTOM_STATUSES,
    ...more,
  });

export const CUSTOM: readonly ComparedKind[] = [
  custom('widgets', 'Widget', {
    scale: true,
    fields: [{ selector: 'spec.colour=blue', match: { spec: { colour: 'blue' } } }],
  }),
  custom('widgets-beta', 'Widget', { plural: 'widgets', version: 'v1beta1', scale: true }),
  custom('plains', 'Plain'),
  custom('frees', 'Free'),
  custom('globals', 'Global', { namespaced: false }),
  custom('ruleds', 'Ruled', {
    base: { spec: { min: 1, max: 2 } },
    fragments: [
      { spec: { min: 2 } },
      { spec: { min: 3 } },
      { spec: { max: 5, fixed: 'a' } },
      { spec: { fixed: 'b' } },
      { spec: { fixed: null } },
      { spec: { min: null } },
      { spec: { min: 'x' } },
      { spec: null },
    ],
  }),
];
