/**
 * Intended differences: each with its reason and the phrase of DIFFERENCES.md that documents it (a test checks that the phrase exists). A
 * difference without an entry makes the comparison fail.
 */
import type { JsonValue } from '../../objects/object.ts';
import { plain } from './compare.ts';
import { OPTIONS } from './operation.ts';
import type { Difference } from './difference.ts';

export interface KnownDifference {
  readonly reason: string;
  /** A phrase of apiserver/DIFFERENCES.md. */
  readonly documented: string;
  readonly matches: (difference: Difference) => boolean;
}

const COLLECTION = /^at-least-/;

export const KNOWN: readonly KnownDifference[] = [
  {
    reason:
      'a list that need not be the latest comes from a cache that may lag behind other resources; the embedded server has none',
    documented: 'One cache',
    matches: ({ operation, path, ours, real }) =>
      operation?.verb === 'list' &&
      path === 'body.metadata.resourceVersion' &&
      COLLECTION.test(plain(ours)) &&
      COLLECTION.test(plain(real)) &&
      operation.options.some((one) => (OPTIONS.list[one % OPTIONS.list.length] ?? '').startsWith('resourceVersion=')),
  },
  {
    reason:
      'the bookmark after the initial events carries the version of the cache, which may lag behind other resources',
    documented: 'One cache',
    matches: ({ operation, path, ours, real }) =>
      operation?.verb === 'watch' &&
      path === 'events[].object.metadata.resourceVersion' &&
      COLLECTION.test(plain(ours)) &&
      COLLECTION.test(plain(real)),
  },
  {
    reason: 'selfLink is never stored; a dry-run answer of a real server shows the sent one',
    documented: 'never shows the `selfLink`',
    matches: ({ path, ours, real }) => path.endsWith('metadata.selfLink') && ours === undefined && plain(real) === '/x',
  },
  {
    reason: 'an apply walks a Go map and stops at the first unknown field, in random order',
    documented: "a real server's order varies from run to run",
    matches: ({ path, ours, real, answers }) =>
      path === 'body.message' &&
      answers.real === '500 ' &&
      unknownFields(real).length > 0 &&
      (areWithin(unknownFields(real), unknownFields(ours)) || areWithin(unknownFields(ours), unknownFields(real))),
  },
  {
    reason: 'a real server appends the diff, printed from its internal types',
    documented: 'lacks the diff that follows the real message',
    matches: ({ path, ours, real }) =>
      /^body\.(message|details\.causes\[\]\.message)$/.test(path) &&
      /\n@@/.test(plain(real)) &&
      plain(real).startsWith(plain(ours)),
  },
  {
    reason: 'a real server prints an immutable template from its internal type',
    documented: 'shows the template as it is written',
    matches: ({ path, ours, real }) =>
      /^body\.(message|details\.causes\[\]\.message)$/.test(path) &&
      plain(real).includes('{"Volumes":') &&
      anyTemplate(ours) === anyTemplate(real),
  },
  {
    reason: 'finalizers of a namespace go through a Go map when its deletion adds or removes one',
    documented: 'finalizers of a namespace come in any order',
    matches: ({ kind, path, ours, real }) =>
      kind.split(',').includes('namespaces') &&
      path.endsWith('metadata.finalizers[]') &&
      typeof ours === 'string' &&
      typeof real === 'string',
  },
  {
    reason: 'a real server hides internalTrafficPolicy of an ExternalName service in answers, but not in watches',
    documented: 'in watch events and answers of /status only',
    matches: ({ path, ours, real, operation }) =>
      (path === 'events[].object.spec.internalTrafficPolicy' ||
        (path === 'body.spec.internalTrafficPolicy' && operation?.subresource === 'status')) &&
      ours === undefined &&
      plain(real) === 'Cluster',
  },
  {
    reason: 'a real server quotes an undecodable Scale with its managedFields',
    documented: 'quotes a patched Scale without its `managedFields`',
    matches: ({ path, ours, real, answers }) =>
      /^body\.(message|details\.causes\[\]\.message)$/.test(path) &&
      answers.real === '422 Invalid' &&
      plain(real).replace(/\\*"managedFields\\*":\[.*?\}\],/, '') === plain(ours),
  },
];

function unknownFields(message: JsonValue | undefined): readonly string[] {
  return plain(message).match(/\.[\w.[\]"=]+: field not declared in schema/g) ?? [];
}

function areWithin(some: readonly string[], all: readonly string[]): boolean {
  return some.length > 0 && some.every((one) => all.includes(one));
}

/** Returns the error message about an immutable pod template, without the template itself. */
function anyTemplate(message: JsonValue | undefined): string {
  return plain(message).replace(
    /Invalid value: \{.*\}: field is immutable/s,
    'Invalid value: TEMPLATE: field is immutable',
  );
}

export function isKnown(difference: Difference): boolean {
  return KNOWN.some(({ matches }) => matches(difference));
}
