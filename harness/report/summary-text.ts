/** Renders the summary of a campaign: the closing lines in the terminal. */
import pc from 'picocolors';
import { confirmationText, isNotConfirmed } from '../model/confirmation.ts';
import type { CampaignOutcome } from '../model/finding.ts';
import { useLines } from './target-use.ts';
import { adviceFor } from './advice.ts';
import { budgetLines } from './budgets.ts';
import { seenText, sideBySide, soakLines } from './soak/text.ts';
import { corpusHeadline, corpusLines } from './corpus-summary.ts';
import { countText, rateText } from './count-text.ts';
import { notConfirmedText } from './run/document.ts';
import { printedLines } from './last-words.ts';
import { remarkLines, REMARKS_HEAD } from './remarks.ts';
import { symptomLines, untriedText } from './symptoms.ts';
import type { Summary, SummaryFinding } from './summary.ts';

const HEADLINES: { readonly [outcome in CampaignOutcome]: string } = {
  holds: 'all properties hold',
  violated: 'violated',
  inconclusive: 'inconclusive',
  vacuous: 'vacuous: nothing contended, or a "sometimes" claim never held',
  interrupted: 'stopped early: findings until then are saved',
};

/** Renders the closing lines of a campaign. */
export function renderSummary(
  summary: Summary,
  options: { readonly color: boolean; readonly called?: string },
): string {
  const colors = pc.createColors(options.color);
  const { outcome, findings } = summary;
  const warnings = summary.warnings.map((warning) => `warning: ${warning}`);
  const paint =
    outcome === 'holds' && warnings.length === 0 && findings.every(isOld)
      ? colors.green
      : outcome === 'violated'
        ? colors.red
        : colors.yellow;
  const old = findings.filter(isOld);
  const doubtful = findings.filter((finding) => isNotConfirmed(finding) && !isOld(finding));
  const untested = Object.entries(summary.perProperty)
    .filter(([, tally]) => tally.vacuous || tally.untested === true)
    .map(([property]) => property);
  const headline =
    outcome === 'violated'
      ? violatedText(summary)
      : outcome === 'holds' && old.length > 0
        ? `nothing new fails: ${countText(old.length, 'pre-existing finding')}`
        : outcome === 'holds'
          ? holdsText(untested, summary)
          : outcome === 'inconclusive' && summary.inconclusive.count === 0 && doubtful.length > 0
            ? notConfirmedText(doubtful.length)
            : outcome === 'interrupted' && summary.soak !== undefined
              ? 'unfinished: nothing fails so far'
              : outcome === 'interrupted' && summary.runs === 0
                ? 'stopped early, before anything was searched'
                : HEADLINES[outcome];
  const lines = [
    colors.bold(paint(headline)),
    ...(outcome === 'holds' ? warnings : []),
    `seed ${summary.seed} · ${runsText(summary)} · ${contentionText(summary.contention)}`,
  ];
  const isMeasured = summary.leftOut === undefined;
  if (summary.runs === 0 && outcome === 'inconclusive' && isMeasured) lines.push(NOTHING_SEARCHED);
  const little = littleText(summary);
  if (little !== undefined) lines.push(little);
  else if (
    (outcome === 'holds' || (outcome === 'interrupted' && summary.soak !== undefined)) &&
    findings.length === 0 &&
    old.length === 0 &&
    !hasKnown(summary)
  )
    lines.push(confidenceText(summary.runs));
  for (const finding of findings) {
    const { property, sentence, counterexample, count, reconciles, seen, confirmed, cause, symptoms = [] } = finding;
    lines.push(`  ${markOf(finding, outcome)} ${property}: ${sentence}`);
    if (cause !== undefined && cause.text !== finding.signature) lines.push(`    cause: ${cause.text}`);
    if (symptoms.length > 1) lines.push(...symptomLines(symptoms).map((line) => `    shows as ${line}`));
    const untried = untriedText(finding);
    if (untried !== undefined) lines.push(`    ${untried}`);
    if (reconciles !== undefined) lines.push(`    ${reconciles}`);
    const times = seen === undefined ? [] : [seenText(seen)];
    const real = confirmed === undefined ? [] : [confirmationText({ confirmed })];
    lines.push(`    ${[countText(count, 'run'), ...times, ...real, counterexample ?? 'not written'].join(' · ')}`);
  }
  if (summary.remarks !== undefined)
    lines.push(REMARKS_HEAD, ...remarkLines(summary.remarks).map((line) => `  – ${line}`));
  if (summary.soak !== undefined) lines.push(...soakLines(summary.soak));
  if (summary.corpus !== undefined) lines.push(...corpusLines(summary.corpus, summary.seenAgain));
  if (summary.budgets !== undefined) lines.push(...budgetLines(summary.budgets));
  lines.push(...waiverLines(summary));
  if (untested.length > 0)
    lines.push(`not put to the test: ${untested.join(', ')} (docs/properties.md says what each needs)`);
  if (summary.targetUse !== undefined) lines.push(...useLines(summary.targetUse));
  if (summary.inconclusive.count > 0) lines.push(...inconclusiveLines(summary, options.called));
  if (outcome !== 'holds') lines.push(...warnings);
  lines.push(...printedLines(summary.printed));
  const { leftOut = [] } = summary;
  if (leftOut.length > 0) lines.push('skipped for lack of time:');
  for (const { what, command } of leftOut)
    lines.push(`  ${what}`, `    → ${options.called ?? 'npx stalemate'} ${command}`);
  return `${lines.join('\n')}\n`;
}

const NOTHING_SEARCHED =
  'no trial was made: the undisturbed runs before the search took all the time; give it more (--budget 10m), or a target that comes to rest sooner';

/** Returns the headline of a green campaign. It only covers the properties that were exercised; a warning may add that most were not. */
function holdsText(untested: readonly string[], { findings, warnings }: Summary): string {
  const tested = untested.length === 0 ? HEADLINES.holds : `${HEADLINES.holds} that were put to the test`;
  const rare = findings.length === 0 ? '' : `, but for ${countText(findings.length, 'finding')} ${RARE}`;
  const text = `${tested}${rare}`;
  return warnings.length === 0 ? text : `${text}, with ${warnings.length === 1 ? 'this warning' : 'these warnings'}:`;
}

/** Describes the findings of a green campaign: they do not fail the run. */
const RARE = 'under pathological conditions, which no cluster should have';

/** Reports whether any known or waived failure occurred. */
function hasKnown({ seenAgain, waived = [] }: Summary): boolean {
  return seenAgain !== undefined || waived.some(({ count }) => count > 0);
}

function markOf(finding: SummaryFinding, outcome: Summary['outcome']): string {
  if (isOld(finding)) return '– pre-existing';
  if (outcome === 'holds') return '– pathological';
  return isNotConfirmed(finding) ? '? not confirmed' : '✗';
}

/** Reports whether a finding existed before the change. */
function isOld({ onBase }: SummaryFinding): boolean {
  return onBase === 'fails';
}

/** Returns what failed, such as `1 distinct finding, 1 regression`. */
function violatedText({ findings: all, corpus, budgets = [], stoppedEarly }: Summary): string {
  const findings = all.filter((finding) => !isOld(finding));
  const over = budgets.filter(({ exceeded }) => exceeded).length;
  const kept = [
    ...(corpus === undefined ? [] : corpusHeadline(corpus)),
    ...(over === 0 ? [] : [`${countText(over, 'measure')} over budget`]),
  ];
  const fresh = findings.length === 0 && kept.length > 0 ? [] : [countText(findings.length, 'distinct finding')];
  const stopped = stoppedEarly === true ? ['stopped early'] : [];
  return [...fresh, ...confirmedText(findings), ...kept, ...stopped].join(', ');
}

/** Counts the findings that were tried on a real server. */
function confirmedText(findings: readonly SummaryFinding[]): readonly string[] {
  const asked = findings.flatMap(({ confirmed }) => confirmed ?? []);
  const [first] = asked;
  if (first === undefined) return [];
  const back = asked.filter(({ reproduced }) => reproduced.k > 0).length;
  return [`${back} of ${asked.length} confirmed on ${first.cluster}`];
}

function runsText({ runs, verified, elapsedMs, soak }: Summary): string {
  const seconds = elapsedMs / 1000;
  const rate = seconds > 0 ? `, ${rateText(runs / seconds)}` : '';
  return `${countText(runs, 'run')} in ${seconds.toFixed(1)} s${sideBySide(soak)}${rate}${verified === 0 ? '' : ` · ${verified} made twice, byte-equal`}`;
}

function contentionText(contention: { readonly [counter: string]: number }): string {
  const parts = Object.entries(contention).map(([name, value]) => `${spaced(name)}: ${value}`);
  return parts.length === 0 ? 'no contention counted' : parts.join(', ');
}

/** Splits a name into words: `foreignWritesBetweenReadAndWrite` → `foreign writes between read and write`. */
function spaced(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Applies the rule of three: with no failure in n runs, the probability of one is below 3/n with 95 % confidence. */
function confidenceText(runs: number): string {
  if (runs <= 3) return `no failure in ${countText(runs, 'run')}: too few to say how often one would fail`;
  return `no failure in ${runs} runs: a run like these fails with p < ${(3 / runs).toPrecision(1)} (95 %)`;
}

/** Percentage of runs with contention below which a campaign counts as hardly contended. */
const CONTENDED_MIN = 1;
/** Minimum number of runs: with this many, nine of ten campaigns would find a failure that occurs in one of three runs. */
const RUNS_MIN = 6;

/** Warns that a green campaign with hardly any contention proves little; undefined if there was enough. */
function littleText({ outcome, runs, contention }: Summary): string | undefined {
  if (runs === 0 || (outcome !== 'holds' && outcome !== 'vacuous')) return undefined;
  const [conflicts, stale] = [contention['conflicts'] ?? 0, contention['staleReads'] ?? 0];
  const overlaps = conflicts + stale + (contention['foreignWritesBetweenReadAndWrite'] ?? 0);
  if (overlaps * 100 >= runs * CONTENDED_MIN)
    return runs >= RUNS_MIN ? undefined : `this proves little: ${countText(runs, 'run')}; give it more (--budget 10m)`;
  const faults = contention['faults'] ?? 0;
  const other = faults === 0 ? 'no other fault was injected' : `it also survived ${countText(faults, 'fault')}`;
  const seen =
    overlaps === 0
      ? `in none of ${countText(runs, 'run')} did the target meet a conflict, act on a stale read, or write what another writer had just changed`
      : `in ${countText(runs, 'run')} the target met ${countText(conflicts, 'conflict')} and acted on ${countText(stale, 'stale read')}`;
  return `this proves little: ${seen}; ${other}. Does the sample make it write anything that other clients may write, and are writers and faults on?`;
}

function inconclusiveLines({ inconclusive, runs }: Summary, called = 'npx stalemate'): readonly string[] {
  // Totals of an older version may count more inconclusive runs than runs.
  const share = runs < inconclusive.count || runs === 0 ? '' : ` (${((100 * inconclusive.count) / runs).toFixed(1)} %)`;
  const reasons = Object.entries(inconclusive.reasons).sort(([, a], [, b]) => b - a);
  return [
    `inconclusive: ${countText(inconclusive.count, 'run')}${share}`,
    ...reasons.slice(0, 5).flatMap(([reason, count]) => {
      const example = inconclusive.examples?.[reason];
      const advice = adviceFor(reason);
      const file = inconclusive.files?.[reason];
      return [
        `  ${count} × ${reason}`,
        ...(example === undefined ? [] : [`    ${example}`]),
        ...(advice === undefined ? [] : [`    → ${advice}`]),
        ...(file === undefined ? [] : [`    to see it: ${called} report ${file}`]),
      ];
    }),
  ];
}

/** Returns a line for each waiver. A waiver that covers nothing may be obsolete, or a short campaign may have missed the failure. */
export function waiverLines({ waived = [] }: Pick<Summary, 'waived'>): readonly string[] {
  return waived.map(({ waiver, reason, expires, count }) => {
    const covered = count === 0 ? 'covered nothing' : `covered ${countText(count, 'violation')}`;
    return `waived: ${waiver}, until ${expires} (${reason}): ${covered}`;
  });
}
