/** Formats a request and its answer in a few words. */
import { isMap } from 'stalemate-apiserver/objects/json';
import { objectKey, type JsonObject, type JsonValue, type KubeObject } from 'stalemate-apiserver/objects/object';
import { assertNever } from '../model/errors.ts';
import { failureText, isWrite, type Operation } from '../model/history.ts';
import { diffLeaves, leavesOf, type LeafChange } from '../model/leaf.ts';
import { bare, type HistoryIndex } from './history-index.ts';
import { siblingsAlive } from './involved.ts';
import { changesText, isField } from './leaf-text.ts';

export interface TextContext {
  readonly index: HistoryIndex;
  /** Leaf pattern of the violation; empty for none. */
  readonly field: string;
  /** Whether the text of a request includes its object. */
  readonly nameObjects: boolean;
  /** Maximum number of leaves per request. */
  readonly leavesMax: number;
}

/** Formats a request: `PUT 101 image=v2`, `GET ➜ 102 replicas=5`, `POST pods/web/worker~1`. The text of a read includes its answer. */
export function requestText(operation: Operation, context: TextContext): string {
  const object = context.nameObjects ? objectText(operation, context) : '';
  const sub = operation.subresource === '' ? '' : `/${operation.subresource}`;
  const place = `${object}${sub}`;
  switch (operation.verb) {
    case 'get':
      return words('GET', place, '➜', readText(operation, context));
    case 'list':
      return words('LIST', bare(operation.resource), '➜', readText(operation, context));
    case 'watch':
      return words('WATCH', bare(operation.resource));
    case 'create':
      return words('POST', `${objectText(operation, context)}${sub}`);
    case 'update':
      return words(
        'PUT',
        place,
        carriedVersion(operation.body),
        changesText(intent(operation, context), context.field, context.leavesMax),
      );
    case 'patch': {
      const apply = operation.contentType?.includes('apply-patch') === true;
      const verb = apply ? (operation.query['force'] === 'true' ? 'APPLY by force' : 'APPLY') : 'PATCH';
      return words(
        verb,
        place,
        carriedVersion(operation.body),
        changesText(intent(operation, context), context.field, context.leavesMax),
      );
    }
    case 'delete':
      return words('DELETE', objectText(operation, context));
    case 'deletecollection':
      return words('DELETE all', bare(operation.resource));
    default:
      return assertNever(operation.verb);
  }
}

/** Formats the result of a write: `102 replicas=5`, `409 Conflict`, `101 unchanged`. */
export function answerText(operation: Operation, context: TextContext): string {
  const made = context.index.madeBy(operation.id);
  const last = made.at(-1);
  const { outcome } = operation;
  const lost = outcome.type === 'info' ? `  ✂ answer lost (${outcome.why})` : '';
  if (last !== undefined) {
    if (operation.verb === 'deletecollection') return `${last.revision} ${made.length} gone${lost}`;
    if (last.type === 'DELETED') return `${last.revision} gone${lost}`;
    if (operation.verb === 'delete') return `${last.revision} terminating${lost}`;
    const siblings = last.type === 'ADDED' ? siblingsAlive(context.index, last) : undefined;
    const count = siblings === undefined ? '' : `(${siblings} alive)`;
    const changes = diffLeaves(last.before, last.object).filter((change) => isField(change.path, context.field));
    return (
      words(String(last.revision), last.before === undefined ? '' : changesText(changes, context.field), count) + lost
    );
  }
  switch (outcome.type) {
    case 'ok':
      return outcome.object === undefined
        ? String(outcome.code)
        : `${outcome.object.metadata.resourceVersion ?? outcome.code} unchanged`;
    case 'fail':
      return failureText(outcome);
    case 'info':
      return `no answer (${outcome.why})`;
    case 'pending':
      return 'not answered yet';
    default:
      return assertNever(outcome);
  }
}

/** Formats the violation's field as it is in an object. */
export function fieldText(object: KubeObject, field: string): string {
  const changes: LeafChange[] = [];
  for (const [path, value] of leavesOf(object)) if (isField(path, field)) changes.push({ path, to: value });
  return changesText(changes, field, 2);
}

function readText(operation: Operation, context: TextContext): string {
  const { outcome } = operation;
  if (outcome.type === 'fail') return failureText(outcome);
  if (outcome.type === 'info') return `no answer (${outcome.why})`;
  if (outcome.type === 'pending') return '(not answered yet)';
  if (outcome.items !== undefined) {
    return words(`${outcome.items.length} at ${outcome.listRevision ?? '?'}`);
  }
  return outcome.object === undefined
    ? String(outcome.code)
    : words(outcome.object.metadata.resourceVersion ?? '', fieldText(outcome.object, context.field));
}

/** Returns the changes that a write requests, compared with the version that it names, else with the version at the server. */
function intent(operation: Operation, context: TextContext): readonly LeafChange[] {
  const { body } = operation;
  const made = context.index.madeBy(operation.id).at(-1);
  if (operation.verb === 'patch') {
    if (Array.isArray(body)) return jsonPatchChanges(body as readonly JsonValue[]);
    if (made?.before !== undefined && operation.contentType?.includes('apply-patch') === true) {
      return diffLeaves(made.before, made.object);
    }
    return isMap(body) ? patchChanges(body) : [];
  }
  if (!isMap(body)) return [];
  const key = objectKey(operation.resource, operation.namespace, operation.name);
  const carried = Number(carriedVersion(body));
  const chain = context.index.chain(key);
  const base = chain.find((revision) => revision.revision === carried)?.object ?? made?.before;
  if (base === undefined) return [];
  // A Scale has a kind of its own, and changes one field of the scaled object.
  if (body['kind'] !== undefined && body['kind'] !== base.kind)
    return made?.before === undefined ? [] : diffLeaves(made.before, made.object);
  const only = operation.subresource === 'status' ? 'status' : '';
  return diffLeaves(base, body).filter(
    (change) => only === '' || change.path === only || change.path.startsWith(`${only}.`),
  );
}

function patchChanges(body: JsonObject): readonly LeafChange[] {
  const changes: LeafChange[] = [];
  for (const [path, value] of leavesOf(body)) changes.push(value === null ? { path } : { path, to: value });
  return changes;
}

function jsonPatchChanges(patch: readonly JsonValue[]): readonly LeafChange[] {
  return patch.flatMap((step) => {
    if (!isMap(step) || step['op'] === 'test' || typeof step['path'] !== 'string') return [];
    const path = step['path'].slice(1).split('/').map(unescapePointer).join('.');
    const value = step['value'];
    return [step['op'] === 'remove' || value === undefined ? { path } : { path, to: value }];
  });
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function objectText(operation: Operation, context: TextContext): string {
  const [key, ...more] = context.index.keysOf(operation);
  if (key !== undefined && more.length === 0) return context.index.shortName(key);
  const { resource, name } = operation;
  return name === '' || resource === '' ? `${bare(resource)}${name}` : `${bare(resource)}/${name}`;
}

/** Returns the `resourceVersion` in a write; empty if there is none. */
export function carriedVersion(body: JsonValue | undefined): string {
  if (!isMap(body)) return '';
  const metadata = body['metadata'];
  const version = isMap(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : '';
}

/** Reports whether a write was refused with 409: for example a stale `resourceVersion`, or a create of an object that exists. */
export function isConflict(operation: Operation): boolean {
  return isWrite(operation.verb) && operation.outcome.type === 'fail' && operation.outcome.code === 409;
}

function words(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
