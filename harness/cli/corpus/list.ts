/** Lists a corpus as a table and as JSON. */
import { signatureText } from '../../model/signature.ts';
import { scheduleSize } from '../../model/schedule.ts';
import { plain, stateText } from '../../report/corpus-summary.ts';
import { wrapWithin } from '../../report/text-wrap.ts';
import type { Console } from '../console.ts';
import type { CorpusFiles } from './folder.ts';

const SENTENCE_LINES_MAX = 2;

export function listText(
  { entries, problems }: CorpusFiles,
  { width, called }: Pick<Console, 'width' | 'called'>,
): string {
  if (entries.length === 0 && problems.length === 0) {
    return `the corpus is empty; add a finding with: ${called} corpus promote .stalemate/failures/NAME.json\n`;
  }
  return entries
    .map(({ name, entry }) => {
      const sentence = wrapWithin(plain(entry.sentence), width - 4, 0, SENTENCE_LINES_MAX).map((line) => `    ${line}`);
      return [`${name}  ${stateText(entry)}`, ...sentence].join('\n');
    })
    .map((text) => `${text}\n`)
    .join('');
}

export function toJson({ entries, problems }: CorpusFiles): string {
  const document = {
    version: 1,
    entries: entries.map(({ name, entry }) => ({
      name,
      state: entry.state,
      since: entry.since,
      reason: entry.reason,
      property: entry.signature.property,
      signature: signatureText(entry.signature),
      sentence: entry.sentence,
      target: entry.target,
      deviations: scheduleSize(entry.schedule),
    })),
    problems,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
