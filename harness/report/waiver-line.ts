/** Makes the line that waives a finding, to paste into the configuration; it is identical in the terminal and on the page. */
import { waivableOf } from '../model/waiver.ts';
import type { Finding } from '../model/finding.ts';

/**
 * Returns text that is valid in TypeScript and in YAML. The user fills in the reason and the last day: a waiver without them is
 * refused.
 */
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

/** Quotes a text so that both languages read it the same way. */
function quoted(text: string): string {
  return /['\\]/.test(text) ? JSON.stringify(text) : `'${text}'`;
}
