/** Asks the user at the terminal about a cluster that is not allowed yet, and stores a positive answer. */
import type { ExistingAccess } from '../clusters/existing/access.ts';
import type { Admission } from '../clusters/existing/admission.ts';
import { consented, isAsked } from './questions.ts';

/** Returns the function that asks; undefined without a terminal. */
export function asking(): Admission['ask'] {
  if (!isAsked()) return undefined;
  return ({ context, server, uid }) =>
    consented(
      `The cluster of context "${shown(context)}" at ${shown(server)} is not allowed yet (uid of its namespace kube-system: ${shown(uid)}).\nUse it, now and from now on? [y/N] `,
    );
}

/** Replaces control characters: text from files and servers could contain terminal escape sequences. */
function shown(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}

/**
 * Asks before anything else happens, so that no question interrupts later output.
 *
 * @throws {REFUSED} if the answer is no.
 */
export async function askAbout(access: ExistingAccess | null): Promise<void> {
  const ask = asking();
  if (access === null || ask === undefined) return;
  const { admitCluster } = await import('../clusters/existing/admission.ts');
  await admitCluster(access, { ask });
}
