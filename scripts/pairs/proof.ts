/** Decides whether a reported finding is about a planted bug. */
import type { PlantedBug, Proof } from '../../controllers-under-test/pairs/pairs.ts';
import { causeKey } from '../../harness/model/cause.ts';
import type { Signature } from '../../harness/model/signature.ts';
import type { Finding } from '../../harness/model/finding.ts';

/**
 * Considers only the violation of a finding, not the further symptoms that it lists: a bug that is mentioned only as a symptom of another
 * one does not count as reported.
 */
export function proves(finding: Pick<Finding, 'violation' | 'record'>, { provedBy }: PlantedBug): boolean {
  return provedBy.some((proof) => isAbout(finding, proof));
}

/** Returns the finding that lists a bug among its symptoms, as if both were one bug. */
export function mistakenFor<F extends Pick<Finding, 'stats' | 'violation'>>(
  findings: readonly F[],
  { provedBy }: PlantedBug,
): F | undefined {
  return findings.find(({ violation, stats: { symptoms = [] } }) =>
    symptoms.some(({ signature }) => provedBy.some((proof) => agrees(signature, proof) && isOfCause(violation, proof))),
  );
}

function isAbout({ violation, record }: Pick<Finding, 'violation' | 'record'>, proof: Proof): boolean {
  if (!agrees(violation.signature, proof) || !isOfCause(violation, proof)) return false;
  if (proof.request === undefined) return true;
  const guilty = record.operations.find(({ id }) => id === violation.operations[0]);
  if (guilty === undefined) return false;
  const { verb, resource, subresource } = guilty;
  return proof.request === `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}`;
}

function isOfCause(violation: Finding['violation'], { cause = '' }: Proof): boolean {
  return causeKey(violation).startsWith(cause);
}

function agrees({ property, kind, field }: Signature, proof: Proof): boolean {
  return property === proof.property && kind === proof.resource && field.startsWith(proof.field ?? '');
}
