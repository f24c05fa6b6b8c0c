/** Adds up the tallies of several workers. */
import type { SearchTally } from './tally.ts';
import { addLoad, addSymptom } from './tally.ts';
import { plus } from './target-use.ts';

/** Adds one worker's tally to the total. */
export function addTally(total: SearchTally, tally: SearchTally): void {
  total.runs += tally.runs;
  total.verified += tally.verified;
  total.inconclusiveRuns += tally.inconclusiveRuns;
  total.divergence ??= tally.divergence;
  if (total.printed === undefined || (!total.printed.isUnjudged && tally.printed?.isUnjudged === true))
    total.printed = tally.printed ?? total.printed;
  if (tally.use.atRest.length > 0 || tally.use.counted > 0 || tally.use.metricsFailed !== undefined)
    total.use = plus(total.use, tally.use);
  for (const behaviour of tally.behaviours) total.behaviours.add(behaviour);
  for (const situation of tally.situations) total.situations.add(situation);
  addLoad(total.load, tally.load);
  total.warnings.push(...tally.warnings);
  total.left.push(...tally.left);
  total.faults.push(...tally.faults);
  for (const key of ['contention', 'counts', 'causes', 'inconclusive', 'waived'] as const) {
    for (const [name, value] of Object.entries(tally[key])) total[key][name] = (total[key][name] ?? 0) + value;
  }
  for (const [cause, symptoms] of Object.entries(tally.symptoms)) {
    for (const symptom of Object.values(symptoms)) addSymptom(total, cause, symptom);
  }
  for (const [text, remark] of Object.entries(tally.remarks)) {
    const before = total.remarks[text];
    total.remarks[text] = before === undefined ? remark : { ...before, count: before.count + remark.count };
  }
  for (const [reason, example] of Object.entries(tally.examples)) total.examples[reason] ??= example;
  for (const [name, { holds, violated, inconclusive, vacuous, untested }] of Object.entries(tally.perProperty)) {
    const first = { holds: 0, violated: 0, inconclusive: 0, vacuous, ...(untested === undefined ? {} : { untested }) };
    const of = (total.perProperty[name] ??= first);
    of.vacuous &&= vacuous;
    if (untested === undefined) delete of.untested;
    of.holds += holds;
    of.violated += violated;
    of.inconclusive += inconclusive;
  }
}
