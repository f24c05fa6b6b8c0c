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
}

/** The assessment of a finding after reading the project's sources. */
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

/** A verdict below these limits is not useful. */
const FLOOR = { runs: 20, conflicts: 10, staleReads: 10, inconclusiveShare: 0.05 };

export function readResults(): readonly Result[] {
  return existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as readonly Result[]) : [];
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

/** Returns the sentence of the output that explains best how it ended. */
export function saidIn(output: string): string {
  const last = output.slice(output.lastIndexOf('\n$ ') + 1);
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
      `${overtaken > conflicts ? `${overtaken} overtaken` : conflicts}/${staleReads}`,
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
