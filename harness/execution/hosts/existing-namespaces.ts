/** Which namespaces a run has on a cluster that is not ours, and what they are called there. */
import type { ExistingAccess } from '../../clusters/existing/access.ts';
import { drawSecretKey } from '../../determinism/secret-key.ts';
import type { Subject } from '../subject.ts';
import { namespacesOf } from './namespaces-of.ts';

const TOKEN_LENGTH = 4;
/** Kubernetes' own limit. */
const NAME_MAX = 63;

/** `names`: theirs by ours. `made`: those of ours that are there from the beginning. `called`: what else is named in the same manner. */
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
  // Runs side by side, and after one that was cut short, have namespaces of their own.
  const token = drawSecretKey().toString('hex').slice(0, TOKEN_LENGTH);
  const called = (name: string): string => fitting(`${prefix}-${run}-${token}-${name}`);
  const names = [...new Set([...made, ...later])].map((name) => [name, called(name)] as const);
  return { names: new Map(names), made: made.filter((name) => !later.includes(name)), called };
}

function fitting(name: string): string {
  return name.slice(0, NAME_MAX).replace(/-+$/, '');
}
