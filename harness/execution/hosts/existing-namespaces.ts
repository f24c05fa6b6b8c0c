/** Names the namespaces of a run on an existing cluster. */
import type { ExistingAccess } from '../../clusters/existing/access.ts';
import { drawSecretKey } from '../../determinism/secret-key.ts';
import type { Subject } from '../subject.ts';
import { namespacesOf } from './namespaces-of.ts';

const TOKEN_LENGTH = 4;
/** The limit for names in Kubernetes. */
const NAME_MAX = 63;

/**
 * Returns the namespaces of a run. `names` maps the harness's names to those on the cluster; `made` lists the namespaces created at the
 * start, by the harness's names; `called` returns the name on the cluster for any name of the harness.
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
  // With a random part in their names, parallel runs do not share namespaces, and neither do an interrupted run and the next one.
  const token = drawSecretKey().toString('hex').slice(0, TOKEN_LENGTH);
  const called = (name: string): string => fitting(`${prefix}-${run}-${token}-${name}`);
  const names = [...new Set([...made, ...later])].map((name) => [name, called(name)] as const);
  return { names: new Map(names), made: made.filter((name) => !later.includes(name)), called };
}

function fitting(name: string): string {
  return name.slice(0, NAME_MAX).replace(/-+$/, '');
}
