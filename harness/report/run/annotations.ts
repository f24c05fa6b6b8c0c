/**
 * Renders a run as workflow commands of GitHub Actions: an annotation per finding, on the file of the controller or its
 * configuration.
 *
 * GitHub shows ten errors and ten warnings per step, so the most important come first.
 */
import {
  asideText,
  keptCommand,
  keptFailing,
  notGreen,
  replayCommand,
  type ReportedFinding,
  type RunDocument,
  type Scenario,
} from './document.ts';
import { symptomLines } from '../symptoms.ts';
import { limited, visible } from './plain-text.ts';

/** Maximum length of one annotation; GitHub keeps 64 KiB of all texts. */
const MESSAGE_MAX = 30_000;

export function renderAnnotations({ scenarios }: RunDocument): string {
  const lines = scenarios.flatMap((scenario) => {
    const findings = scenario.findings.map((finding) => annotationOf(finding, scenario));
    const why = notGreen(scenario);
    const whole = why === undefined ? [] : [command('error', scenario, 'stalemate: inconclusive', why)];
    const kept = keptFailing(scenario).map((one) => {
      const title = one.regression ? `regression: ${one.name}` : `known failure: ${one.name}`;
      return command('error', scenario, title, `${one.sentence}\n${one.about}\nreplay: ${keptCommand(one)}`);
    });
    return [...kept, ...findings, ...whole];
  });
  // Errors first, because GitHub shows a limited number.
  return [...lines].sort((a, b) => Number(a.startsWith('::warning')) - Number(b.startsWith('::warning'))).join('');
}

function annotationOf(finding: ReportedFinding, scenario: Scenario): string {
  const { fails, tried, title, sentence, property, cause, symptoms = [], signature } = finding;
  const aside = asideText(finding);
  const replay = replayCommand(finding);
  const message = [
    sentence,
    ...(cause === undefined || cause.text === signature ? [] : [`cause: ${cause.text}`]),
    ...(symptoms.length < 2 ? [] : symptomLines(symptoms).map((line) => `shows as ${line}`)),
    ...(aside === undefined ? [] : [aside]),
    tried,
    ...(replay === undefined ? [] : [`replay: ${replay}`]),
  ].join('\n');
  return command(fails ? 'error' : 'warning', scenario, `${title} (${property})`, message);
}

function command(kind: 'error' | 'warning', { file }: Scenario, title: string, message: string): string {
  const facts = [...(file === null ? [] : [`file=${property(file)}`, 'line=1']), `title=${property(title)}`].join(',');
  return `::${kind} ${facts}::${data(limited(message, MESSAGE_MAX))}\n`;
}

/** Escapes a command's text: a line break would end the command, or begin another one. */
function data(text: string): string {
  return visible(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
