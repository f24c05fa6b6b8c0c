/**
 * One step of a compared sequence in symbolic form: versions and uids are given by role, because their values differ between servers.
 *
 * Owns: the type and its generator. Does not own: resolving roles at execution (`world.ts`).
 */
import { array, boolean, constant, constantFrom, nat, oneof, record, uniqueArray, type Arbitrary } from 'fast-check';
import { comparedKind, KINDS } from './kinds.ts';
import { words } from './word-lists.ts';

export const VERBS = ['create', 'get', 'list', 'update', 'patch', 'delete', 'deletecollection', 'watch'] as const;
export type Verb = (typeof VERBS)[number];

export const PATCH_TYPES = ['json', 'merge', 'strategic', 'apply'] as const;
export type PatchType = (typeof PATCH_TYPES)[number];

/** The resource version to send: none, that of the object as last seen, an earlier version, or an invalid or future one. */
const VERSIONS = ['none', 'current', 'previous', 'first', 'zero', 'text', 'future'] as const;
export type Version = (typeof VERSIONS)[number];

export const UIDS = ['none', 'live', 'previous', 'wrong'] as const;
export type Uid = (typeof UIDS)[number];

export interface Operation {
  readonly verb: Verb;
  /** Index into the kinds of the sequence, modulo their number. */
  readonly kind: number;
  /** Index into {@link NAMES}. */
  readonly name: number;
  /** 0 and 1: a namespace; 2 on collections: all namespaces. */
  readonly space: number;
  /** The client: its user agent becomes the field manager. */
  readonly client: number;
  readonly subresource: string;
  readonly version: Version;
  readonly uid: Uid;
  /** Index into the fragments of the kind, modulo their number. */
  readonly content: number;
  /** Index into {@link METADATA}. */
  readonly metadata: number;
  readonly patch: PatchType;
  /** True if an update starts from the object as last seen; otherwise it starts from a bare manifest. */
  readonly fromSeen: boolean;
  /** Indices into {@link OPTIONS} of the verb. */
  readonly options: readonly number[];
  /** Index into {@link SELECTORS}; 0 is none. */
  readonly selector: number;
}

export interface Sequence {
  readonly kinds: readonly string[];
  readonly operations: readonly Operation[];
}

export const NAMES = ['a', 'b'] as const;
export const CLIENTS = ['alpha/1.0 (test)', 'beta', 'gamma/2 (x)', 'kubectl'] as const;

/** Merge patches for metadata. `OWNER` is replaced by another object's uid: see `world.ts`. */
export const METADATA: readonly { readonly [key: string]: unknown }[] = [
  {},
  { labels: { app: 'a' } },
  { labels: { app: 'b', extra: 'x' } },
  { labels: { app: null } },
  { annotations: { note: 'n' } },
  { annotations: { note: null, other: 'o' } },
  { finalizers: ['x.io/one'] },
  { finalizers: ['x.io/one', 'x.io/two'] },
  { finalizers: [] },
  { finalizers: null },
  { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'owner-1' }] },
  {
    ownerReferences: [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'owner-1', controller: true },
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'p', uid: 'owner-2', controller: true },
    ],
  },
  { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o' }] },
  { ownerReferences: null },
  { labels: { 'bad key!': 'x' } },
  { labels: { app: 'bad value!' } },
  { annotations: { 'Bad/Key/x': 'x' } },
  { finalizers: ['unqualified'] },
  { finalizers: ['bad one!'] },
  { finalizers: ['orphan', 'foregroundDeletion'] },
  { labels: { app: 1 } },
  { labels: 'text' },
  { creationTimestamp: '2020-01-01T00:00:00Z' },
  { deletionTimestamp: '2020-01-01T00:00:00Z' },
  { generation: 7 },
  { selfLink: '/x' },
  { name: 'other' },
  { namespace: 'elsewhere' },
  { generateName: 'gen-' },
  { managedFields: [] },
  { managedFields: [{}] },
  { unknown: 1 },
];

/** Query parameters by verb; they can be combined. */
export const OPTIONS: { readonly [verb in Verb]: readonly string[] } = {
  create: words(`
    dryRun=All dryRun=Some fieldValidation=Strict fieldValidation=Ignore fieldValidation=Wrong fieldManager=m1
    fieldManager=m2 pretty=true
  `),
  get: ['resourceVersion=0', 'resourceVersion=CURRENT', 'resourceVersion=FIRST', 'resourceVersion=abc'],
  list: words(`
    limit=1 limit=2 limit=1&continue=NEXT limit=1&continue=NEXT continue=bad resourceVersion=0 resourceVersion=CURRENT
    resourceVersion=FIRST resourceVersion=abc resourceVersionMatch=Exact resourceVersionMatch=NotOlderThan
    resourceVersionMatch=Wrong sendInitialEvents=true limit=x limit=-1 timeoutSeconds=5 allowWatchBookmarks=true
  `),
  update: words(`
    dryRun=All fieldValidation=Strict fieldValidation=Ignore fieldManager=m1 fieldManager=m2 dryRun=Some
  `),
  patch: words(`
    dryRun=All fieldValidation=Strict fieldValidation=Ignore fieldManager=m1 fieldManager=m2 force=true force=false
    dryRun=Some
  `),
  delete: words(`
    dryRun=All propagationPolicy=Foreground propagationPolicy=Orphan propagationPolicy=Background
    propagationPolicy=Wrong orphanDependents=true orphanDependents=false gracePeriodSeconds=0 gracePeriodSeconds=3
    gracePeriodSeconds=-1 BODY BODY dryRun=Some
  `),
  deletecollection: words(`
    dryRun=All propagationPolicy=Foreground propagationPolicy=Orphan gracePeriodSeconds=0 limit=1 BODY
  `),
  watch: words(`
    allowWatchBookmarks=true sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true
    sendInitialEvents=true&resourceVersionMatch=NotOlderThan sendInitialEvents=false&resourceVersionMatch=NotOlderThan
    sendInitialEvents=true resourceVersionMatch=Exact limit=1
  `),
};

/** Label selectors with matching labels; undefined where no object matches. */
export const SELECTORS: readonly { readonly text: string; readonly labels?: { readonly [key: string]: string } }[] = [
  { text: '' },
  { text: 'app=a', labels: { app: 'a' } },
  { text: 'app in (a,b)', labels: { app: 'b' } },
  { text: 'app notin (a)', labels: {} },
  { text: '!app', labels: {} },
  { text: 'app', labels: { app: 'z' } },
  { text: 'app!=a,extra', labels: { extra: 'x' } },
  { text: 'app=a,app=b' },
  { text: 'app==' },
  { text: 'app=a,,b' },
  { text: 'in (a' },
  { text: 'app>1' },
  { text: 'bad key!=x' },
  { text: 'app=bad value!' },
];

/** Field selectors by index: see `world.ts`. */
const FIELD_SELECTORS = 6;

const SUBRESOURCES = ['', '', '', '', '', 'status', 'status', 'scale', 'other'] as const;

const operation: Arbitrary<Operation> = record({
  verb: oneof(
    { weight: 9, arbitrary: constant<Verb>('create') },
    { weight: 5, arbitrary: constant<Verb>('update') },
    { weight: 8, arbitrary: constant<Verb>('patch') },
    { weight: 2, arbitrary: constant<Verb>('get') },
    { weight: 4, arbitrary: constant<Verb>('list') },
    { weight: 3, arbitrary: constant<Verb>('delete') },
    { weight: 1, arbitrary: constant<Verb>('deletecollection') },
    { weight: 3, arbitrary: constant<Verb>('watch') },
  ),
  kind: nat({ max: 2 }),
  name: nat({ max: NAMES.length - 1 }),
  space: oneof(
    // Mostly the first namespace, so that most requests find an object.
    { weight: 12, arbitrary: constant(0) },
    { weight: 1, arbitrary: constant(1) },
    { weight: 1, arbitrary: constant(2) },
  ),
  client: nat({ max: CLIENTS.length - 1 }),
  subresource: constantFrom<string>(...SUBRESOURCES),
  version: oneof(
    { weight: 6, arbitrary: constant<Version>('none') },
    { weight: 6, arbitrary: constant<Version>('current') },
    { weight: 3, arbitrary: constantFrom<Version>('previous', 'first') },
    { weight: 1, arbitrary: constantFrom<Version>('zero', 'text', 'future') },
  ),
  uid: oneof(
    { weight: 8, arbitrary: constant<Uid>('none') },
    { weight: 2, arbitrary: constantFrom<Uid>('live', 'previous', 'wrong') },
  ),
  content: nat({ max: 59 }),
  metadata: oneof(
    { weight: 3, arbitrary: constant(0) },
    { weight: 3, arbitrary: nat({ max: 9 }) },
    { weight: 1, arbitrary: nat({ max: METADATA.length - 1 }) },
  ),
  patch: constantFrom<PatchType>(...PATCH_TYPES),
  fromSeen: boolean(),
  options: oneof(
    { weight: 3, arbitrary: constant<readonly number[]>([]) },
    { weight: 2, arbitrary: array(nat({ max: 31 }), { minLength: 1, maxLength: 2 }) },
  ),
  selector: oneof(
    { weight: 3, arbitrary: constant(0) },
    { weight: 1, arbitrary: nat({ max: SELECTORS.length - 1 + FIELD_SELECTORS }) },
  ),
});

/** Returns sequences on the kinds `ids`, at most two kinds in each. `minLength` limits only generation: shrinking goes below it. */
export function sequences(ids: readonly string[] = KINDS.map(({ id }) => id), minLength = 10): Arbitrary<Sequence> {
  ids.forEach(comparedKind);
  return record({
    kinds: uniqueArray(constantFrom(...ids), { minLength: 1, maxLength: Math.min(2, ids.length) }),
    operations: array(operation, { minLength, maxLength: 40, size: 'max' }),
  });
}
