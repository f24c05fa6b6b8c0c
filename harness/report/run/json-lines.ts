/** Renders a run as JSON lines: one self-contained object per line, for logs, dashboards and `jq`. */
import { RUN_VERSION, type RunDocument } from './document.ts';

/**
 * Renders a line of type `run` first, then lines of the types `scenario`, `property`, `kept` and `finding` for each scenario. Each line
 * contains the version, and all but the first contain the name of the scenario.
 */
export function renderJsonLines(run: RunDocument): string {
  const { outcome, madeWith, scenarios } = run;
  const lines: object[] = [{ version: RUN_VERSION, type: 'run', outcome, madeWith, scenarios: scenarios.length }];
  for (const { properties, findings, kept, ...scenario } of scenarios) {
    const of = { version: RUN_VERSION, scenario: scenario.name };
    lines.push({ version: RUN_VERSION, type: 'scenario', ...scenario });
    lines.push(...properties.map((property) => ({ ...of, type: 'property', ...property })));
    lines.push(...kept.map((one) => ({ ...of, type: 'kept', ...one })));
    lines.push(...findings.map((finding) => ({ ...of, type: 'finding', ...finding })));
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
