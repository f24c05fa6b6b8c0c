/** Refusals of authorization, with the messages of k8s.io/apiserver `endpoints/handlers/responsewriters/errors.go`. */
import { refuse, type Refusal } from '../refusal.ts';
import type { Attributes } from './attributes.ts';

const ESCAPES: { readonly [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Returns 403 for a request that no rule allows. */
export function forbiddenRequest(asked: Attributes, reason: string): Refusal {
  const message = describe(asked).replaceAll(/[&<>]/g, (char) => ESCAPES[char] ?? char);
  const why = reason === '' ? message : `${message}: ${reason}`;
  const { group, resource, name } = asked;
  if (resource === '') return refuse(403, 'Forbidden', `forbidden: ${why}`, {});
  const gr = group === '' ? resource : `${resource}.${group}`;
  const subject = name === '' ? gr : `${gr} ${JSON.stringify(name)}`;
  return refuse(403, 'Forbidden', `${subject} is forbidden: ${why}`, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: resource,
  });
}

function describe({ user, verb, isResource, path, group, resource, subresource, namespace }: Attributes): string {
  const who = JSON.stringify(user.name);
  if (!isResource) return `User ${who} cannot ${verb} path ${JSON.stringify(path)}`;
  const what = JSON.stringify(subresource === '' ? resource : `${resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `User ${who} cannot ${verb} resource ${what} in API group ${JSON.stringify(group)} ${where}`;
}
