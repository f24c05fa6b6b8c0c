/** Describes the symptoms of a cause; the fields that a write can lose share a line. */
import type { Cause } from '../model/cause.ts';
import { isNotConfirmed } from '../model/confirmation.ts';
import type { Counterexample } from '../model/counterexample.ts';
import type { Finding } from '../model/finding.ts';
import { countText } from './count-text.ts';
import { shownSignature, type ShownSignature } from './shown-signature.ts';
import { given } from '../model/given.ts';

/** A symptom in documents. */
export interface ShownSymptom extends ShownSignature {
  readonly count: number;
}

/** The cause of a finding in documents. */
export interface Because {
  /** Absent for findings in older files. */
  readonly cause?: Cause;
  /** The symptoms of the cause, most frequent first. */
  readonly symptoms?: readonly ShownSymptom[];
}

const FIELDS_MAX = 8;

/**
 * Returns a line for each property and resource, such as `no-lost-update of deployments.apps: spec.replicas (9 runs),
 * metadata.labels (5)`. A field that was lost in several ways is listed once, with the highest count.
 */
export function symptomLines(symptoms: readonly ShownSymptom[]): readonly string[] {
  const groups = new Map<string, Map<string, number>>();
  for (const { property, resource, field, class: kind, count } of symptoms) {
    const about = resource === '' ? property : `${property} of ${resource}`;
    const counts = groups.get(about) ?? new Map<string, number>();
    groups.set(about, counts);
    const what = field === '' ? kind : field;
    counts.set(what, Math.max(count, counts.get(what) ?? 0));
  }
  return [...groups].map(([about, counts]) => {
    const places = [...counts].slice(0, FIELDS_MAX).map(([what, count], at) => {
      const runs = at === 0 ? countText(count, 'run') : String(count);
      return `${what} (${runs})`;
    });
    const more = counts.size - places.length;
    return `${about}: ${places.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
  });
}

/**
 * Notes that only one example of a cause was tried on the base build or the real server, if that result clears the finding: the
 * other symptoms were not tried, and one of them may be a separate bug. Undefined if the finding is not cleared, or has no
 * other symptoms.
 */
export function untriedText(
  finding: Pick<Finding, 'onBase'> & Pick<Counterexample, 'confirmed'> & Pick<Because, 'symptoms'>,
): string | undefined {
  const others = (finding.symptoms ?? []).length - 1;
  if (others < 1) return undefined;
  const rest = countText(others, 'other symptom');
  if (finding.onBase === 'fails') return `only the example was tried on the base build, so its ${rest} may be new`;
  return isNotConfirmed(finding)
    ? `only the example was tried on a real server, so its ${rest} may be real`
    : undefined;
}

/** Returns the cause of a finding and its symptoms, in the form that all documents share. */
export function becauseOf(
  { cause }: Pick<Finding['violation'], 'cause'>,
  { symptoms }: Pick<Finding['stats'], 'symptoms'>,
): Because {
  const shown = symptoms?.map(({ signature, count }) => ({ ...shownSignature(signature), count }));
  return { ...given({ cause, symptoms: shown }) };
}
