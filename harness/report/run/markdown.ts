/**
 * Renders a run as Markdown for the job summary. How much was tried comes first, then each finding: its sentence, its story as
 * a sequence diagram, the story as text to expand, and the command that replays it.
 */
import { seenText } from '../soak/text.ts';
import { countText } from '../count-text.ts';
import { waiverLines } from '../summary-text.ts';
import { figuresOf } from './figures.ts';
import {
  asideText,
  failing,
  failureText,
  holdsText,
  notGreen,
  replayCommand,
  type ReportedFinding,
  type RunDocument,
  type Scenario,
  symptomOf,
  wasTested,
} from './document.ts';
import { printedLines } from '../last-words.ts';
import { remarkLines, REMARKS_HEAD } from '../remarks.ts';
import { symptomLines } from '../symptoms.ts';
import { oneLine, visible } from './plain-text.ts';

/** Maximum size of a summary: GitHub accepts a megabyte per step, and rejects longer summaries as a whole. */
const BYTES_MAX = 900_000;
/** Maximum number of findings shown with a story; the rest are only listed. */
const STORIES_MAX = 20;

export function renderMarkdown(run: RunDocument): string {
  const blocks = run.scenarios.flatMap((scenario) => scenarioBlocks(scenario));
  let text = '';
  for (const [index, block] of blocks.entries()) {
    if (Buffer.byteLength(text) + Buffer.byteLength(block) > BYTES_MAX) {
      return `${text}\n… and ${countText(blocks.length - index, 'part')} more: see the report folder\n`;
    }
    text += block;
  }
  return text;
}

function scenarioBlocks(scenario: Scenario): readonly string[] {
  const { findings } = scenario;
  const shown = findings.slice(0, STORIES_MAX);
  const rest = findings.slice(STORIES_MAX).map(({ title, sentence }) => `- **${inline(title)}** ${inline(sentence)}\n`);
  return [
    headOf(scenario),
    ...(scenario.kept.length === 0 ? [] : [keptBlock(scenario)]),
    ...shown.map(findingBlock),
    ...(rest.length === 0 ? [] : [`### And\n\n${rest.join('')}\n`]),
    ...(scenario.remarks === undefined ? [] : [remarksBlock(scenario)]),
    propertiesBlock(scenario),
  ];
}

function headOf(scenario: Scenario): string {
  const failed = failureText([scenario]);
  const only = scenario.findings.length - failing(scenario).length;
  const why = notGreen(scenario);
  const headline =
    failed !== undefined
      ? `❌ ${failed}`
      : why === undefined
        ? `${scenario.warnings.length === 0 ? '✅' : '⚠️'} ${holdsText([scenario])}`
        : `⚠️ ${inline(why)}`;
  const isGreen = failed === undefined && why === undefined;
  const aside = only === 0 || isGreen ? '' : `, ${only} reported only`;
  const figures = figuresOf(scenario).map(({ name, value }) => `| ${inline(name)} | ${inline(value)} |\n`);
  const notes = [...scenario.warnings.map((warning) => `⚠️ ${warning}`), ...waiverLines(scenario)];
  const warnings = notes.map((note) => `> ${inline(note)}\n>\n`);
  return (
    `## stalemate: ${headline}${aside}\n\n${code(scenario.name)}, seed ${scenario.seed}, ${inline(scenario.budget)}\n\n` +
    `| | |\n|---|---|\n${figures.join('')}\n${warnings.join('')}\n` +
    (scenario.printed === undefined ? '' : `${fenced('', printedLines(scenario.printed).join('\n'))}\n`)
  );
}

function findingBlock(finding: ReportedFinding): string {
  const { title, sentence, resource, field, property, tried, sequence, story, fails, seen, count } = finding;
  const { cause, symptoms = [], signature } = finding;
  const about = [resource, field].filter((part) => part !== '').join(' ');
  const replay = replayCommand(finding);
  const aside = asideText(finding);
  return [
    `### ${fails ? '❌' : '⚠️'} ${inline(title)}${about === '' ? '' : ` ${code(about)}`}\n`,
    `${inline(sentence)}\n`,
    ...(cause === undefined || cause.text === signature ? [] : [`Cause: ${inline(cause.text)}\n`]),
    ...(symptoms.length < 2 ? [] : symptomLines(symptoms).map((line) => `- shows as ${inline(line)}\n`)),
    ...(aside === undefined ? [] : [`**${inline(aside)}**\n`]),
    `${inline(property)} · ${inline(tried)}\n`,
    ...(seen === undefined ? [] : [`${countText(count, 'run')}, ${seenText(seen)}\n`]),
    fenced('mermaid', sequence),
    ...(replay === undefined ? [] : [fenced('sh', `${replay}\n`)]),
    `<details><summary>The story as the terminal shows it</summary>\n`,
    fenced('', story),
    '</details>\n',
    '',
  ].join('\n');
}

function remarksBlock({ remarks }: Scenario): string {
  const lines = remarkLines(remarks).map((line) => `- ${inline(line)}\n`);
  return `### ${inline(REMARKS_HEAD)}\n\n${lines.join('')}\n`;
}

const KEPT_MARK = { passed: '✅', failed: '❌', silent: '⚠️', aside: '–' } as const;

function keptBlock({ kept }: Scenario): string {
  const rows = kept.map((one) => {
    const back = one.regression ? '**regression** ' : '';
    return `| ${KEPT_MARK[one.result]} | ${code(one.name)} | ${back}${inline(one.sentence)} | ${inline(one.about)} |\n`;
  });
  return `### Kept findings\n\n| | name | finding | |\n|---|---|---|---|\n${rows.join('')}\n`;
}

function propertiesBlock(scenario: Scenario): string {
  const { properties, findings } = scenario;
  const rows = properties.map((property) => {
    const { name, about, holds, violated, inconclusive } = property;
    const failed = findings.some((finding) => finding.fails && finding.property === name);
    const cause = symptomOf(property, scenario);
    const by = cause === undefined ? '' : `❌ by ${code(cause.stem)}`;
    const mark = failed ? '❌' : by !== '' ? by : !wasTested(property) ? '– not put to the test' : '✅';
    return `| ${mark} | ${code(name)} | ${holds} | ${violated} | ${inconclusive} | ${inline(about)} |\n`;
  });
  return (
    `<details><summary>Properties</summary>\n\n| | property | holds | violated | inconclusive | claim |\n` +
    `|---|---|---|---|---|---|\n${rows.join('')}\n</details>\n\n`
  );
}

/** Escapes text, including for tables, so that it contains no markup, links or mentions of users. */
function inline(text: string): string {
  return oneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_{}[\]|~$]/g, String.raw`\$&`)
    .replaceAll(/[@#]|:(?! |$)/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Formats inline code between more backticks than the text contains in a row. */
function code(text: string): string {
  const line = oneLine(text).replaceAll('|', '¦');
  const ticks = '`'.repeat(longestRun(line, '`') + 1);
  return line.includes('`') ? `${ticks} ${line} ${ticks}` : `${ticks}${line}${ticks}`;
}

/** Formats a code block with a fence that the text does not contain. */
function fenced(language: string, text: string): string {
  const shown = visible(text);
  const fence = '`'.repeat(Math.max(3, longestRun(shown, '`') + 1));
  return `${fence}${language}\n${shown}${shown.endsWith('\n') ? '' : '\n'}${fence}\n`;
}

function longestRun(text: string, sign: string): number {
  let longest = 0;
  let run = 0;
  for (const character of text) {
    run = character === sign ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
