/**
 * The examples on the pages about properties, writers and faults: made from a replay, placed between markers, and compared by a test.
 *
 * Owns: the text and the position of each block. Written by `npm run example-pages`.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  decodeCounterexample,
  renderStory,
  replay,
  tellStory,
  type Counterexample,
  type ReplayResult,
} from '../../harness/index.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { EXAMPLES, type Example } from './table.ts';

export type PageName = 'properties' | 'writers' | 'faults';

export interface Block {
  readonly page: PageName;
  /** The entry whose section contains it. */
  readonly entry: string;
  readonly text: string;
}

const WIDTH = 100;
/** The first row of the story's columns. */
const COLUMNS = /^ +#  /m;

export function readExample({ name }: Example): Counterexample {
  const file = `docs/examples/${name}.json`;
  return decodeCounterexample(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'), file);
}

/** The configuration of an example whose controller is not in the catalogue, relative to the root of the repository. */
export function configOf({ name, controller, config = name }: Example): string | undefined {
  return controller === null ? `docs/examples/${config}.yaml` : undefined;
}

/** Runs of a process differ, so the pages show only what all of them have in common. */
export function isOfProcess({ target }: Counterexample): boolean {
  return 'command' in target;
}

/** Returns the blocks of an example, made from a replay; examples of processes are replayed separately (`processes.ts`). */
export async function blocksOf(example: Example): Promise<readonly Block[]> {
  const counterexample = readExample(example);
  const config = configOf(example);
  const withConfig = config === undefined ? '' : ` --config ${config}`;
  const command = `npx stalemate replay docs/examples/${example.name}.json${withConfig}`;
  const again = (): Promise<ReplayResult> =>
    replay(counterexample, {
      ...{ times: 1, cwd: REPOSITORY_ROOT },
      ...(config === undefined ? {} : { configFile: resolve(REPOSITORY_ROOT, config) }),
    });
  const isWell = example.byHand === 'holds';
  const processText = isWell ? WELL : `${counterexample.sentence}\n…`;
  const story = isOfProcess(counterexample)
    ? processText
    : isWell
      ? wellText(await again(), example)
      : storyText(await again(), counterexample, command);
  return entriesOf(example).map((at) => ({ ...at, text: blockText(at, counterexample, { command, story }) }));
}

function storyText(result: ReplayResult, counterexample: Counterexample, command: string): string {
  const { history, violation } = result;
  if (violation === undefined) throw new Error(`"${command}" no longer shows the failure: search for it again`);
  // Line numbers change, and paths belong to one machine.
  const told = { ...violation, sentence: violation.sentence.replaceAll(/ at \S+:\d+/g, '') };
  const story = tellStory({ violation: told, counterexample, record: history });
  return renderStory(story, { width: WIDTH, color: false, replay: command }).trimEnd();
}

/** The output of the command after its five runs. */
const WELL = 'not reproduced, 0 of 5: the whole schedule was followed and the property holds';

function wellText({ reproduced, missedAnchors, inconclusive }: ReplayResult, { name }: Example): string {
  if (reproduced.k > 0 || missedAnchors.length > 0 || inconclusive !== undefined)
    throw new Error(`docs/examples/${name}.json no longer holds`);
  return WELL;
}

/** The entries that an example belongs to. If a fault has an example of its own, other examples do not show it. */
export function entriesOf({ name, shows: { property, writer, fault } }: Example): readonly Omit<Block, 'text'>[] {
  const isFaults = fault !== undefined && (fault === name || EXAMPLES.every((other) => other.name !== fault));
  return [
    ...(property === undefined ? [] : [{ page: 'properties' as const, entry: property }]),
    ...(writer === undefined ? [] : [{ page: 'writers' as const, entry: writer }]),
    ...(isFaults ? [{ page: 'faults' as const, entry: fault }] : []),
  ];
}

interface Told {
  readonly command: string;
  readonly story: string;
}

/** A property shows the whole story, a writer its program, a fault its entry in the schedule. */
function blockText(
  { page, entry }: Omit<Block, 'text'>,
  { workload, schedule }: Counterexample,
  { command, story }: Told,
): string {
  const columns = story.search(COLUMNS);
  const shown = page === 'properties' || columns === -1 ? story : `${story.slice(0, columns).trimEnd()}\n…`;
  const data = {
    properties: [],
    writers: workload.programs.filter(({ writer }) => writer === entry).flatMap(({ ops }) => ops),
    faults: schedule.faults.filter((fault) => fault.do === entry),
  }[page];
  const json = data.length === 0 ? [] : ['```json', ...data.map((one) => JSON.stringify(one)), '```', ''];
  return [...json, '```console', `$ ${command}`, shown, '```'].join('\n');
}

const BLOCK = (entry: string): RegExp =>
  new RegExp(String.raw`(<!-- example:${entry} -->\n)([\s\S]*?)(<!-- /example -->)`);

/** Returns the block of an entry in a page. */
export function shownIn(page: string, entry: string): string | undefined {
  return BLOCK(entry).exec(page)?.[2]?.trimEnd();
}

/** Returns the page with a block replaced. */
export function fillIn(page: string, { entry, text }: Block): string {
  return page.replace(BLOCK(entry), (_, begin: string, __, end: string) => `${begin}${text}\n${end}`);
}
