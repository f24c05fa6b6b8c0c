/** What first contacts came to: read from what `init` prints, kept beside the list, and shown in docs/track-record.md. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeWhole } from '../../harness/report/write-files.ts';
import { markdownTable, withTable } from '../page-tables.ts';
import { FOLDER, type Repository } from './repositories.ts';

export interface Result {
  readonly name: string;
  readonly version: string;
  /** What a user types, one after the other. */
  readonly commands: readonly string[];
  readonly seconds: number;
  /** Undefined where it was ended from outside. */
  readonly exit: number | undefined;
  readonly runs: number;
  readonly conflicts: number;
  /** Writes that another writer overtook, refused or not. */
  readonly overtaken?: number;
  readonly staleReads: number;
  readonly inconclusive: number;
  /** The line of the output that says what it came to. */
  readonly said: string;
}

/** What was found out about a project by reading its sources. */
export interface Judgement {
  readonly name: string;
  readonly property: string;
  readonly finding: string;
  readonly judgement: 'true and harmful' | 'true but harmless' | 'false';
  readonly because: string;
}

const RESULTS = `${FOLDER}results.json`;
const JUDGEMENTS = `${FOLDER}judgements.json`;
const PAGE = fileURLToPath(new URL('../../docs/track-record.md', import.meta.url));

/** A verdict with less behind it proves little. */
const FLOOR = { runs: 20, conflicts: 10, staleReads: 10, inconclusiveShare: 0.05 };

export function readResults(): readonly Result[] {
  return existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as readonly Result[]) : [];
}

/** Adds a result in the place of an older one. */
export function keepResult(tried: Result): void {
  // Where a registry is, is a matter of the machine.
  const result = { ...tried, said: tried.said.replaceAll(/reading https?:\/\/\S+ /g, '') };
  const others = readResults().filter(({ name }) => name !== result.name);
  const all = [...others, result].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  writeWhole(RESULTS, `${JSON.stringify(all, undefined, 2)}\n`);
}

/** What the closing lines of a campaign say in figures; all zero where there was none. */
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
  /^(all properties hold.*)$/m,
  /^stalemate: (?!.* on \w+, seed \d)(.+)$/m,
];

/** The sentence of the output that says most about how it ended. */
export function saidIn(output: string): string {
  const last = output.slice(output.lastIndexOf('\n$ ') + 1);
  // What a build says last, where it failed.
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
  // A target that sends no versions is never refused.
  const met = Math.max(conflicts, overtaken);
  const enough = runs >= FLOOR.runs && met >= FLOOR.conflicts && staleReads >= FLOOR.staleReads;
  return (exit === 0 || exit === 1) && enough && inconclusive <= runs * inconclusiveShare;
}

/** Puts the table of all results into the page, between its markers. */
export function writePage(drawn: readonly Repository[], list: readonly Result[] = readResults()): void {
  const text = tableText(drawn, list, readJudgements());
  writeWhole(PAGE, withTable(readFileSync(PAGE, 'utf8'), 'first-contact', text));
}

function readJudgements(): readonly Judgement[] {
  return existsSync(JUDGEMENTS) ? (JSON.parse(readFileSync(JUDGEMENTS, 'utf8')) as readonly Judgement[]) : [];
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
  judgements: readonly Judgement[],
): string {
  const rows = drawn.map((repository) => {
    const result = results.find(({ name }) => name === repository.name);
    if (result === undefined) return [repository.name, repository.version, '', '', '', '', '', '', 'not tried yet'];
    const { runs, conflicts, overtaken = 0, staleReads, inconclusive } = result;
    return [
      repository.name,
      repository.version,
      isUseful(result) ? 'yes' : 'no',
      result.exit === undefined ? 'ended' : String(result.exit),
      `${result.seconds} s`,
      String(runs),
      `${conflicts > 0 ? conflicts : `${overtaken} overtaken`}/${staleReads}`,
      String(inconclusive),
      cut(result.said),
    ];
  });
  const useful = results.filter(isUseful).length;
  const judged = judgements.map(({ name, property, finding, judgement, because }) =>
    [name, `\`${property}\``, finding, judgement, because].map(cut),
  );
  return [
    `${useful} of ${drawn.length} came to a useful verdict; ${results.length} were tried.`,
    '',
    markdownTable(COLUMNS, rows),
    ...(judged.length === 0
      ? []
      : ['', markdownTable(['repository', 'property', 'finding', 'judged', 'because'], judged)]),
  ].join('\n');
}

const CELL_MAX = 240;

function cut(text: string): string {
  return text.length > CELL_MAX ? `${text.slice(0, CELL_MAX)}…` : text;
}
