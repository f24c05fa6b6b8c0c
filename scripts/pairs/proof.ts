/** Whether a reported finding is about a planted bug. Pure. */
import type { PlantedBug, Proof } from '../../controllers-under-test/pairs/pairs.ts';
import type { Signature } from '../../harness/model/signature.ts';
import type { Finding } from '../../harness/model/finding.ts';

/**
 * Judges the violation that a finding is about, not further symptoms that it lists: what a user sees only in small print below another bug
 * is not reported.
 */
export function proves(finding: Pick<Finding, 'violation' | 'record'>, { provedBy }: PlantedBug): boolean {
  return provedBy.some((proof) => isAbout(finding, proof));
}

/** Of a bug that no finding is about: the finding that counts it among its symptoms, as if both were one bug. */
export function mistakenFor<F extends Pick<Finding, 'stats'>>(
  findings: readonly F[],
  { provedBy }: PlantedBug,
): F | undefined {
  return findings.find(({ stats: { symptoms = [] } }) =>
    symptoms.some(({ signature }) => provedBy.some((proof) => agrees(signature, proof))),
  );
}

function isAbout({ violation, record }: Pick<Finding, 'violation' | 'record'>, proof: Proof): boolean {
  if (!agrees(violation.signature, proof)) return false;
  if (proof.request === undefined) return true;
  const guilty = record.operations.find(({ id }) => id === violation.operations[0]);
  if (guilty === undefined) return false;
  const { verb, resource, subresource } = guilty;
  return proof.request === `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}`;
}

function agrees({ property, kind, field }: Signature, proof: Proof): boolean {
  return property === proof.property && kind === proof.resource && field.startsWith(proof.field ?? '');
}
