/** The results for kube-controller-manager: stored next to the list of controllers, and shown in docs/kubernetes-controllers.md. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CampaignResult, Finding } from '../../harness/index.ts';
import { writeWhole } from '../../harness/report/write-files.ts';
import { markdownTable, withTable } from '../page-tables.ts';
import { FOLDER, type Controller, type Position } from './controllers.ts';

export interface FoundHere {
  readonly property: string;
  readonly kind: string;
  readonly field: string;
  readonly sentence: string;
  readonly preemptions: number;
  readonly holds: number;
  readonly faults: number;
  /** How many replays failed, and how many there were. */
  readonly reproduced: readonly [number, number];
}

interface Measured extends Position {
  /** The date and the machine. */
  readonly measured: string;
  readonly budget: string;
  readonly seed: number;
  readonly seconds: number;
  readonly runs: number;
}

/** A campaign against one controller. */
export interface Swept extends Measured {
  readonly controller: string;
  readonly outcome: CampaignResult['outcome'] | 'failed';
  readonly conflicts: number;
  readonly staleReads: number;
  readonly inconclusive: number;
  /** The most frequent reason for inconclusive runs, or why there is no verdict. */
  readonly why?: string;
  readonly findings: readonly FoundHere[];
}

/** A search for issue 129795. */
export interface Hunted extends Measured {
  /** Absent if it was not found. */
  readonly found?: FoundHere & { readonly afterSeconds: number; readonly replayed: readonly [number, number] };
}

/** The assessment of a finding after reading the sources of Kubernetes. */
export interface Judgement {
  readonly controller: string;
  readonly property: string;
  /** Empty matches any. */
  readonly kind: string;
  readonly field: string;
  readonly finding: string;
  readonly judgement: 'true and harmful' | 'true but harmless' | 'false';
  readonly because: string;
}

interface Results {
  readonly version: 1;
  readonly hunts: readonly Hunted[];
  readonly sweeps: readonly Swept[];
}

const RESULTS = join(FOLDER, 'results.json');
const JUDGEMENTS = join(FOLDER, 'judgements.json');
const PAGE = fileURLToPath(new URL('../../docs/kubernetes-controllers.md', import.meta.url));

export function readResults(): Results {
  if (!existsSync(RESULTS)) return { version: 1, hunts: [], sweeps: [] };
  return JSON.parse(readFileSync(RESULTS, 'utf8')) as Results;
}

function readJudgements(): readonly Judgement[] {
  return existsSync(JUDGEMENTS) ? (JSON.parse(readFileSync(JUDGEMENTS, 'utf8')) as readonly Judgement[]) : [];
}

const isSamePosition = (a: Position, b: Position): boolean => a.release === b.release && a.gates === b.gates;

/** Adds results, or replaces older ones of the same controller and position. */
export function keepResults({ hunts = [], sweeps = [] }: Partial<Results>): void {
  const kept = readResults();
  const all: Results = {
    version: 1,
    hunts: [...kept.hunts.filter((old) => !hunts.some((hunt) => isSamePosition(old, hunt))), ...hunts],
    sweeps: [
      ...kept.sweeps.filter(
        (old) => !sweeps.some((sweep) => old.controller === sweep.controller && isSamePosition(old, sweep)),
      ),
      ...sweeps,
    ],
  };
  writeWhole(RESULTS, `${JSON.stringify(all, undefined, 2)}\n`);
}

export function foundHere({ violation: { signature, sentence }, stats }: Finding): FoundHere {
  const { preemptions, holds, faults, reproduced } = stats;
  const { property, kind, field } = signature;
  return { property, kind, field, sentence, preemptions, holds, faults, reproduced: [reproduced.k, reproduced.n] };
}

export function sweptOf(
  controller: string,
  measured: Omit<Measured, 'runs'>,
  { outcome, besides, runs, contention, inconclusive, findings, warnings }: CampaignResult,
): Swept {
  const [reason] = Object.entries(inconclusive.reasons).toSorted(([, a], [, b]) => b - a);
  const why = besides === 'holds' ? undefined : (reason?.[0] ?? warnings[0]);
  return {
    controller,
    ...measured,
    outcome,
    runs,
    conflicts: contention['conflicts'] ?? 0,
    staleReads: contention['staleReads'] ?? 0,
    inconclusive: inconclusive.count,
    ...(why === undefined ? {} : { why }),
    findings: findings.map(foundHere),
  };
}

/** Writes the tables of all results into the page, between their markers. */
export function writePage(controllers: readonly Controller[]): void {
  const { hunts, sweeps } = readResults();
  const judgements = readJudgements();
  const tables = {
    hunt: huntTable(hunts),
    sweep: sweepTable(controllers, sweeps, judgements),
    judgements: judgementTable(judgements),
  };
  let page = readFileSync(PAGE, 'utf8');
  for (const [name, table] of Object.entries(tables)) page = withTable(page, name, table);
  writeWhole(PAGE, page);
}

export function huntTable(hunts: readonly Hunted[]): string {
  return markdownTable(
    ['release', 'gates', 'found', 'after', 'runs', 'what it takes', 'replayed', 'seed', 'measured'],
    hunts.map(({ release, gates, budget, runs, found, seed, measured }) => [
      release,
      gates === 'none' ? 'none yet' : gates,
      found === undefined ? `no, in ${budget}` : 'yes',
      found === undefined ? '' : `${found.afterSeconds} s`,
      runs,
      found === undefined ? '' : needs(found),
      found === undefined ? '' : `${found.replayed[0]} of ${found.replayed[1]}`,
      seed,
      measured,
    ]),
  );
}

function needs({ preemptions, holds, faults }: FoundHere): string {
  const counted = (count: number, what: string): readonly string[] =>
    count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`];
  const all = [...counted(preemptions, 'preemption'), ...counted(holds, 'hold'), ...counted(faults, 'fault')];
  return all.length === 0 ? 'nothing' : all.join(', ');
}

export function judgementOf(
  { property, kind, field }: FoundHere,
  controller: string,
  judgements: readonly Judgement[],
): Judgement | undefined {
  return judgements.find(
    (one) =>
      one.controller === controller &&
      one.property === property &&
      (one.kind === '' || one.kind === kind) &&
      (one.field === '' || one.field === field),
  );
}

export function sweepTable(
  controllers: readonly Controller[],
  sweeps: readonly Swept[],
  judgements: readonly Judgement[],
): string {
  const rows = controllers.flatMap(({ name }): (readonly (string | number)[])[] => {
    const tried = sweeps.filter(({ controller }) => controller === name);
    if (tried.length === 0) return [[name, '', '', '', '', '', '', 'not tried yet']];
    return tried.map((swept) => {
      const { release, gates, seconds, runs, conflicts, staleReads, inconclusive } = swept;
      const position = gates === 'off' ? `${release}, gates off` : release;
      return [
        ...[name, position, `${seconds} s`, runs, conflicts, staleReads, inconclusive],
        resultText(swept, judgements),
      ];
    });
  });
  return markdownTable(
    ['controller', 'release', 'time', 'runs', 'conflicts', 'stale reads', 'inconclusive', 'result'],
    rows,
  );
}

const WHY_MAX = 160;
/** Fewer runs are not enough for a verdict. */
const RUNS_MIN = 10;

function resultText(
  { controller, outcome, runs, findings, why = outcome }: Swept,
  judgements: readonly Judgement[],
): string {
  const judged = findings.map((finding) => {
    const judgement = judgementOf(finding, controller, judgements)?.judgement ?? 'not judged';
    return `\`${finding.property}\` of ${finding.kind}: ${judgement}`;
  });
  if (judged.length > 0) return [...new Set(judged)].join('; ');
  if (outcome === 'holds') return runs < RUNS_MIN ? 'no finding, but too few runs for a verdict' : 'all held';
  if (outcome === 'vacuous') return 'no finding, but too few conflicts or stale reads for a verdict';
  return why.length > WHY_MAX ? `${why.slice(0, WHY_MAX)}…` : why;
}

export function judgementTable(judgements: readonly Judgement[]): string {
  return markdownTable(
    ['controller', 'property', 'finding', 'judged', 'because'],
    judgements.map(({ controller, property, finding, judgement, because }) => [
      controller,
      `\`${property}\``,
      finding,
      judgement,
      because,
    ]),
  );
}
