/** The story in docs/tour.md, made from the record of the run. */
import { readFileSync } from 'node:fs';
import { decodeRecord, recheck, renderStory, tellStory } from '../../harness/index.ts';

const RECORD = 'docs/examples/kuberay-715.record.json';
const REPLAY = 'npx stalemate replay .stalemate/failures/too-many-children-4648bc.json';
const STORY = /<!-- story:begin -->\n[\s\S]*?<!-- story:end -->/;

/** Returns the page with the current form of the story. */
export function withStory(page: string): string {
  const record = decodeRecord(readFileSync(new URL(`../../${RECORD}`, import.meta.url), 'utf8'), RECORD);
  const { violation } = recheck(record);
  if (violation === undefined) throw new Error(`${RECORD} no longer shows what the tour describes`);
  const { counterexample, history, stats } = record;
  const told = tellStory({ violation, counterexample, record: history, ...(stats === undefined ? {} : { stats }) });
  const story = renderStory(told, { width: 100, color: false, replay: REPLAY }).trimEnd();
  return page.replace(STORY, () => `<!-- story:begin -->\n\`\`\`\n${story}\n\`\`\`\n<!-- story:end -->`);
}
