/** Names the namespaces of a run on an existing cluster. */
import type { ExistingAccess } from '../../clusters/existing/access.ts';
import { drawSecretKey } from '../../determinism/secret-key.ts';
import type { Subject } from '../subject.ts';
import { namespacesOf } from './namespaces-of.ts';

const TOKEN_LENGTH = 4;
/** The limit for names in Kubernetes. */
const NAME_MAX = 63;

/**
 * Returns the namespaces. `names` maps our names to the cluster's; `made` are our names of the namespaces created at the start; `called`
 * derives the cluster's name for any of our names.
 */
export function namespacesThere(
  { namespace, samples, project }: Pick<Subject, 'namespace' | 'samples'> & Partial<Pick<Subject, 'project'>>,
  { prefix, run }: ExistingAccess,
): {
  readonly names: ReadonlyMap<string, string>;
  readonly made: readonly string[];
  readonly called: (name: string) => string;
} {
  const shipped = (project?.objects ?? []).flatMap(({ kind, metadata: { name = '', namespace: home = '' } }) =>
    [kind === 'Namespace' ? name : home].filter((one) => one !== ''),
  );
  const made = [...new Set([namespace, ...namespacesOf(samples), ...shipped])];
  const later = samples.flatMap(({ kind, metadata: { name = '' } }) => (kind === 'Namespace' ? [name] : []));
  // Makes parallel runs, and a run after an interrupted one, get different namespaces.
  const token = drawSecretKey().toString('hex').slice(0, TOKEN_LENGTH);
  const called = (name: string): string => fitting(`${prefix}-${run}-${token}-${name}`);
  const names = [...new Set([...made, ...later])].map((name) => [name, called(name)] as const);
  return { names: new Map(names), made: made.filter((name) => !later.includes(name)), called };
}

function fitting(name: string): string {
  return name.slice(0, NAME_MAX).replace(/-+$/, '');
}
