/** Parses and formats budgets. */
import type { Budget } from './run-config.ts';

const UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const SHAPE = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/;

/** Parses `60s`, `5m`, `1.5h`, or a number of runs; returns undefined for anything else and for zero. */
export function parseBudget(text: string): Budget | undefined {
  const [, digits = '', unit] = SHAPE.exec(text.trim()) ?? [];
  const amount = Number(digits);
  if (digits === '' || amount <= 0) return undefined;
  if (unit === undefined) return Number.isSafeInteger(amount) ? { unit: 'runs', runs: amount } : undefined;
  return { unit: 'ms', timeMs: amount * (UNITS[unit] ?? 1) };
}

/** Formats a budget: `60 s` or `2000 runs`. */
export function budgetText(budget: Budget): string {
  return budget.unit === 'runs' ? `${budget.runs} runs` : `${budget.timeMs / 1000} s`;
}
