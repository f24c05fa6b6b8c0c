/** The line that waives a finding, to paste into the configuration: the same in the terminal and on the page. */
import { waivableOf } from '../model/waiver.ts';
import type { Finding } from '../model/finding.ts';

/** Valid in TypeScript and in YAML. The user fills in reason and last day: without them it is refused. */
export function waiverLine({
  violation,
  record,
  counterexample,
}: Pick<Finding, 'violation' | 'record' | 'counterexample'>): string {
  const { property, kind, field, writers } = waivableOf(violation, record, counterexample.workload);
  const [writer] = writers.length === 1 ? writers : [];
  const facts: readonly (readonly [string, string])[] = [
    ['property', property],
    ...(kind === '' ? [] : [['kind', kind] as const]),
    ...(field === '' ? [] : [['field', field] as const]),
    ...(writer === undefined ? [] : [['writer', writer] as const]),
    ['reason', ''],
    ['expires', ''],
  ];
  return `{ ${facts.map(([name, value]) => `${name}: ${quoted(value)}`).join(', ')} }`;
}

/** In the quotes that both languages read alike. */
function quoted(text: string): string {
  return /['\\]/.test(text) ? JSON.stringify(text) : `'${text}'`;
}
