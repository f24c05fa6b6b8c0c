/** Renders a run as SARIF 2.1.0, for code scanning: properties are rules, findings are results. */
import { asideText, replayCommand, type ReportedFinding, type RunDocument, type Scenario } from './document.ts';
import { visible } from './plain-text.ts';

export function renderSarif({ madeWith, scenarios }: RunDocument): string {
  const rules = new Map(scenarios.flatMap(({ properties }) => properties.map(({ name, about }) => [name, about])));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'stalemate',
            semanticVersion: madeWith.stalemate,
            rules: [...rules].map(([id, about]) => ({ id, shortDescription: { text: visible(about) } })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: scenarios.flatMap((scenario) => scenario.findings.map((finding) => resultOf(finding, scenario))),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function resultOf(finding: ReportedFinding, { file }: Scenario): object {
  const replay = replayCommand(finding);
  const aside = asideText(finding);
  const notes = [
    ...(aside === undefined ? [] : [aside]),
    ...(finding.cause === undefined ? [] : [`cause: ${finding.cause.text}`]),
  ];
  const text = [
    finding.sentence,
    ...notes,
    ...(replay === undefined ? [] : [`replay: ${replay}`]),
    '',
    finding.story,
  ].join('\n');
  return {
    ruleId: finding.property,
    level: finding.fails ? 'error' : 'note',
    message: { text: visible(text) },
    // A finding keeps its alert from run to run, even if the alert dates from a version without causes.
    partialFingerprints: {
      'stalemateSignature/v1': finding.signature,
      'stalemateCause/v1': finding.cause?.key ?? finding.signature,
    },
    ...(file === null
      ? {}
      : {
          locations: [
            { physicalLocation: { artifactLocation: { uri: encodeURI(visible(file)) }, region: { startLine: 1 } } },
          ],
        }),
  };
}
