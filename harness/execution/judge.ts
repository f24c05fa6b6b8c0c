/**
 * Judging one run: ask the properties, make the probes they need, ask again.
 *
 * Owns: the loop and its bound. Does not own: what properties say (`oracle`, `properties/`), how probes run (`prober.ts`).
 */
import type { Violation } from '../model/check-result.ts';
import { signatureText } from '../model/check-result.ts';
import type { History } from '../model/history.ts';
import type { ProbeRequest } from '../model/probe.ts';
import type { Reference } from '../model/reference.ts';
import type { Trial } from '../model/trial.ts';
import { judge as judgeProperties } from '../oracle/compose.ts';
import type { Property } from '../oracle/property.ts';
import type { Prober } from './prober.ts';

/** A property may ask again after an answer, but not for ever. */
const ROUNDS_MAX = 6;

export interface Judged {
  /** With the reference and all probe results. */
  readonly history: History;
  readonly violations: readonly Violation[];
  /** Property name → why it has no opinion. */
  readonly inconclusive: ReadonlyMap<string, string>;
}

/** Judges a history. `only` restricts it to some properties, as shrinking does. */
export async function judgeRun(
  trial: Trial,
  run: History,
  properties: readonly Property[],
  reference: Reference,
  prober: Prober,
): Promise<Judged> {
  let history: History = { ...run, reference, probes: prober.known(run) };
  const made = new Set<string>();
  for (let round = 0; ; round++) {
    const violations: Violation[] = [];
    const inconclusive = new Map<string, string>();
    const needs: ProbeRequest[] = [];
    for (const { property, result } of judgeProperties(history, properties)) {
      if (result.result === 'violated') violations.push(...result.violations);
      if (result.result !== 'inconclusive') continue;
      inconclusive.set(property.name, result.reason);
      for (const need of result.needs ?? []) if (!made.has(JSON.stringify(need))) needs.push(need);
    }
    if (needs.length === 0 || round >= ROUNDS_MAX) return { history, violations: distinct(violations), inconclusive };
    const results = [];
    for (const need of needs) {
      const key = JSON.stringify(need);
      if (made.has(key)) continue;
      made.add(key);
      results.push(await prober.probe(need, trial, history));
    }
    history = { ...history, probes: [...history.probes, ...results] };
  }
}

function distinct(violations: readonly Violation[]): readonly Violation[] {
  const seen = new Set<string>();
  return violations.filter((violation) => {
    const text = signatureText(violation.signature);
    return !seen.has(text) && seen.add(text);
  });
}
