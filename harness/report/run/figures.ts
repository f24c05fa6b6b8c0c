/** The figures behind an outcome: how much was tried, and with how much contention. */
import { rateText } from '../count-text.ts';
import { sideBySide, soakFigures, type Figure } from '../soak/text.ts';
import type { Scenario } from './document.ts';

export type { Figure } from '../soak/text.ts';

/** Readable names of counters. */
const NAMES: { readonly [counter: string]: string } = {
  conflicts: 'real conflicts (409)',
  staleReads: 'stale reads acted upon',
  foreignWritesBetweenReadAndWrite: "other writers' changes between its read and its write",
  faults: 'faults that it met',
  distinctBehaviours: 'distinct behaviours of the target',
};

export function figuresOf(scenario: Scenario): readonly Figure[] {
  const { runs, verified, elapsedMs, contention, outcome, inconclusive, findings, waived, soak } = scenario;
  const seconds = elapsedMs / 1000;
  const rate = seconds > 0 && runs > 0 ? `, ${rateText(runs / seconds)}` : '';
  const certain =
    runs > 3 && outcome === 'holds' && findings.length === 0 && waived.every(({ count }) => count === 0)
      ? [{ name: 'a run like these fails with', value: bound(runs) }]
      : [];
  return [
    { name: 'runs', value: `${runs} in ${seconds.toFixed(1)} s${sideBySide(soak)}${rate}` },
    ...certain,
    ...Object.entries(contention).map(([name, value]) => ({ name: NAMES[name] ?? spaced(name), value: String(value) })),
    ...(soak === undefined ? [] : soakFigures(soak)),
    ...(verified === 0 ? [] : [{ name: 'runs made twice, byte-equal', value: String(verified) }]),
    ...(inconclusive.count === 0 ? [] : [{ name: 'inconclusive runs', value: String(inconclusive.count) }]),
  ];
}

/** Applies the rule of three: with no failure in n runs, the probability of one is below 3/n with 95 % confidence. */
function bound(runs: number): string {
  return `p < 3/${runs} = ${(3 / runs).toPrecision(2)} (95 %)`;
}

function spaced(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
