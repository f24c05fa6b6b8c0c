/** The results of first contacts: parsed from the output of `init`, stored next to the list, and shown in docs/track-record.md. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeWhole } from '../../harness/report/write-files.ts';
import { markdownTable, withTable } from '../page-tables.ts';
import { FOLDER, type Repository } from './repositories.ts';

export interface Result {
  readonly name: string;
  readonly version: string;
  /** The commands that a user types, in order. */
  readonly commands: readonly string[];
  readonly seconds: number;
  /** Undefined if the timeout ended it. */
  readonly exit: number | undefined;
  readonly runs: number;
  readonly conflicts: number;
  /** Foreign writes between a read and a write of the target, whether that write was refused or not. */
  readonly overtaken?: number;
  readonly staleReads: number;
  readonly inconclusive: number;
  /** The line of the output that states the outcome. */
  readonly said: string;
  /** What failed the campaign, as the summary lists it: the property and the sentence. Absent in older results. */
  readonly findings?: readonly string[];
}

type Verdict = 'true and harmful' | 'true but harmless' | 'false';

/** The assessment of a finding after reading the project's sources. */
interface Judged {
  readonly name: string;
  readonly property: string;
  readonly finding: string;
  readonly because: string;
}

/** A finding of the stored campaigns, judged by two readers; the second did not know the first one's verdict. */
export interface Judgement extends Judged {
  readonly first: Verdict;
  readonly second: Verdict;
}

/** A finding of an earlier campaign, which is not repeated in the stored one. */
export interface EarlierJudgement extends Judged {
  readonly judgement: Verdict;
}

/** What people have found out about the stored results. */
export interface Read {
  readonly judgements: readonly Judgement[];
  readonly earlier: readonly EarlierJudgement[];
  /** By name: what a project without a useful verdict lacks, and how to get it. */
  readonly missing: { readonly [name: string]: string };
}

const RESULTS = `${FOLDER}results.json`;
const PAGE = fileURLToPath(new URL('../../docs/track-record.md', import.meta.url));

/** A verdict below these limits is not useful. */
const FLOOR = { runs: 20, conflicts: 10, staleReads: 10, inconclusiveShare: 0.05 };

export function readResults(): readonly Result[] {
  return existsSync(RESULTS) ? (readJson('results.json') as readonly Result[]) : [];
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(`${FOLDER}${name}`, 'utf8'));
}

/** Adds a result, or replaces an older one of the same project. */
export function keepResult(tried: Result): void {
  // The address of the registry depends on the machine.
  const result = { ...tried, said: tried.said.replaceAll(/reading https?:\/\/\S+ /g, '') };
  const others = readResults().filter(({ name }) => name !== result.name);
  const all = [...others, result].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  writeWhole(RESULTS, `${JSON.stringify(all, undefined, 2)}\n`);
}

/** Parses the counters in the last lines of a campaign; all zero if there was none. */
export function figuresIn(
  output: string,
): Pick<Result, 'runs' | 'conflicts' | 'overtaken' | 'staleReads' | 'inconclusive'> {
  const number = (pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? 0);
  return {
    runs: number(/^seed \d+ · ([\d,]+) runs?\b/m),
    conflicts: number(/^seed .*\bconflicts: (\d+)/m),
    overtaken: number(/^seed .*\bforeign writes between read and write: (\d+)/m),
    staleReads: number(/^seed .*\bstale reads: (\d+)/m),
    inconclusive: number(/^inconclusive: (\d+) runs?/m),
  };
}

const SAID: readonly RegExp[] = [
  /^ {2}✗ (.+)$/m,
  /^this proves little: (.+)$/m,
  /^stopped +(.+(?:\n {8}\S.*)*)$/m,
  /^inconclusive: .+\n +\d+ × (.+)$/m,
  /^(all properties hold.*?)(?:, with th(?:is warning|ese warnings):)?$/m,
  /^stalemate: (?!.* on \w+, seed \d)(.+)$/m,
];

/** Returns what the last of several commands printed. */
function ofLastCommand(output: string): string {
  return output.slice(output.lastIndexOf('\n$ ') + 1);
}

/** Returns the findings that failed the last campaign of the output. */
export function findingsIn(output: string): readonly string[] {
  const last = ofLastCommand(output);
  const summary = last.slice(last.search(/^seed \d/m));
  return [...summary.matchAll(/^ {2}✗ (.+)$/gm)].map(([, text = '']) => text);
}

/** Returns the sentence of the output that explains best how it ended. */
export function saidIn(output: string): string {
  const last = ofLastCommand(output);
  // If a build failed, the last line of its output.
  const failed = /^(.*)\nfirst {3}/m.exec(last)?.[1];
  if (failed !== undefined) return failed.trim();
  for (const pattern of SAID) {
    const found = pattern.exec(last)?.[1];
    if (found !== undefined) return found.replaceAll(/\s+/g, ' ');
  }
  return output.trim().split('\n').at(-1) ?? '';
}

export function isUseful({ exit, runs, conflicts, overtaken = 0, staleReads, inconclusive }: Result): boolean {
  const { inconclusiveShare } = FLOOR;
  // A target that sends no resourceVersion gets no conflicts, so overtaken writes count as well.
  const met = Math.max(conflicts, overtaken);
  const enough = runs >= FLOOR.runs && met >= FLOOR.conflicts && staleReads >= FLOOR.staleReads;
  return (exit === 0 || exit === 1) && enough && inconclusive <= runs * inconclusiveShare;
}

/** Writes the table of all results into the page, between its markers. */
export function writePage(drawn: readonly Repository[], list: readonly Result[] = readResults()): void {
  const text = tableText(drawn, list, {
    judgements: readJson('judgements.json') as Read['judgements'],
    earlier: readJson('earlier-judgements.json') as Read['earlier'],
    missing: readJson('missing.json') as Read['missing'],
  });
  writeWhole(PAGE, withTable(readFileSync(PAGE, 'utf8'), 'first-contact', text));
}

const COLUMNS = [
  'repository',
  'version',
  'useful',
  'exit',
  'time',
  'runs',
  'conflicts/stale reads',
  'inconclusive',
  'why',
];

export function tableText(
  drawn: readonly Repository[],
  results: readonly Result[],
  { judgements, earlier, missing }: Read,
): string {
  const rows = drawn.map((repository) => {
    const result = results.find(({ name }) => name === repository.name);
    if (result === undefined) return [repository.name, repository.version, '', '', '', '', '', '', 'not tried yet'];
    const { runs, conflicts, overtaken = 0, staleReads, inconclusive } = result;
    const isUsefulOne = isUseful(result);
    return [
      repository.name,
      repository.version,
      isUsefulOne ? 'yes' : 'no',
      result.exit === undefined ? 'ended' : String(result.exit),
      `${result.seconds} s`,
      String(runs),
      `${overtaken > conflicts ? `${overtaken} overtaken` : conflicts}/${staleReads}`,
      String(inconclusive),
      isUsefulOne ? cut(result.said) : (missing[repository.name] ?? cut(result.said)),
    ];
  });
  const useful = results.filter(isUseful).length;
  const judged = judgements.map(({ name, property, finding, first, second, because }) => [
    ...[name, `\`${property}\``, finding, first, second].map(cut),
    because,
  ]);
  const before = earlier.map(({ name, property, finding, judgement, because }) =>
    [name, `\`${property}\``, finding, judgement, because].map(cut),
  );
  return [
    `${useful} of ${drawn.length} came to a useful verdict; ${results.length} were tried.`,
    '',
    markdownTable(COLUMNS, rows),
    ...(judged.length === 0
      ? []
      : [
          '',
          `${shareText(judgements)} The second reader did not know what the first one had written.`,
          '',
          markdownTable(['repository', 'property', 'finding', 'first reading', 'second reading', 'because'], judged),
        ]),
    ...(before.length === 0
      ? []
      : [
          '',
          'Findings of earlier campaigns, with earlier rules; what was false or harmless there is a rule by now, unless the table above repeats it:',
          '',
          markdownTable(['repository', 'property', 'finding', 'judged', 'because'], before),
        ]),
  ].join('\n');
}

/** Counts the readings, such as `12 findings were each judged twice in the source: 20 of 24 readings (83 %) say true and harmful …`. */
function shareText(judgements: readonly Judgement[]): string {
  const readings = judgements.flatMap(({ first, second }) => [first, second]);
  const count = (verdict: Verdict): number => readings.filter((one) => one === verdict).length;
  const harmful = count('true and harmful');
  const share = Math.floor((harmful / readings.length) * 100);
  return (
    `${judgements.length} findings failed these campaigns, and each was judged twice in the operator's source: ` +
    `${harmful} of ${readings.length} readings (${share} %) say true and harmful, ${count('true but harmless')} true but harmless, ${count('false')} false.`
  );
}

const CELL_MAX = 240;

function cut(text: string): string {
  return text.length > CELL_MAX ? `${text.slice(0, CELL_MAX)}…` : text;
}
