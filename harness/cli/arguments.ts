/** Parsers of flag values. Their errors state the received value and the expected form. */
import { Option } from 'commander';
import { isMetricsUrl, METRICS_FORM } from '../actors/process/prometheus.ts';
import { parseReadiness, READINESS_FORMS } from '../actors/process/readiness.ts';
import { CLUSTER_WRITE_FORM, isClusterWrite } from '../clusters/existing/cluster-writes.ts';
import { PREFIX, PREFIX_FORM } from '../clusters/existing/prefix.ts';
import { parseBudget } from '../execution/config/budget.ts';
import { CLUSTERS, PARTS, type ClusterPart } from '../model/cluster.ts';
import { HarnessError } from '../model/errors.ts';
import { CONNECTION, FAULT_KINDS } from '../model/fault-kinds.ts';
import type { ReplayContext } from './library.ts';
import { given } from '../model/given.ts';

/** Parses `--seed`. */
export function seedArgument(text: string): number {
  const seed = Number(text);
  if (/^-?\d+$/.test(text.trim()) && Number.isSafeInteger(seed)) return seed;
  throw usage(`got seed "${text}", expected a whole number; leave --seed out to have one drawn`);
}

/** Validates `--budget`. Returns it as text, because the configuration has the same form. */
export function budgetArgument(text: string): string {
  if (parseBudget(text) !== undefined) return text;
  throw usage(`got budget "${text}", expected a time like "60s" or "5m", or a number of runs like "2000"`);
}

/** Validates `--corpus-budget`. Returns it as text, because the configuration has the same form. */
export function corpusBudgetArgument(text: string): string {
  if (parseBudget(text)?.unit === 'ms') return text;
  throw usage(`got --corpus-budget "${text}", expected a time like "60s" or "5m"`);
}

/** Returns a parser for a count of at least one. */
export function countArgument(flag: string): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (/^\d+$/.test(text.trim()) && Number.isSafeInteger(count) && count >= 1) return count;
    throw usage(`got ${flag} "${text}", expected a whole number of at least 1`);
  };
}

/** Parses `--port`; 0 lets the operating system choose. */
export function portArgument(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text.trim()) && port <= 65_535) return port;
  throw usage(`got port "${text}", expected a whole number from 0 to 65535`);
}

/** Makes a flag with a fixed set of values, which help, errors and completion list. */
export function choice(flags: string, about: string, words: readonly string[]): Option {
  return new Option(flags, about).choices(words);
}

/** Makes the flag `--cluster`. */
export function clusterOption(): Option {
  return choice('--cluster <kind>', 'API server of the run', CLUSTERS);
}

/** Makes the flag `--authorization`. */
export function authorizationOption(): Option {
  const about = 'whether roles of the manifests are enforced (default: rbac if they bind any)';
  return choice('--authorization <mode>', about, ['rbac', 'allow-all']);
}

export const ALLOW_CONTEXT_HELP = 'allow this context, whatever cluster it points to (several times)';
export const ALLOW_CLUSTER_HELP = 'allow the cluster whose namespace kube-system has this uid (several times)';

/** Validates `--namespace-prefix`. */
export function prefixArgument(text: string): string {
  if (PREFIX.test(text)) return text;
  throw usage(`got --namespace-prefix "${text}", ${PREFIX_FORM}`);
}

/** Validates `--allow-cluster-write`, which may be repeated, and adds it to the earlier values. */
export function clusterWriteArgument(text: string, before: readonly string[] | undefined): readonly string[] {
  if (isClusterWrite(text)) return collect(text, before);
  throw usage(`got --allow-cluster-write "${text}", ${CLUSTER_WRITE_FORM}`);
}

/** Flags that select an existing cluster. */
export interface ExistingFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly allowContext?: readonly string[];
  readonly allowCluster?: readonly string[];
  readonly namespacePrefix?: string;
  readonly allowClusterWrite?: readonly string[];
}

/** Converts {@link ExistingFlags} to options. */
export function existingFlags(flags: ExistingFlags): NonNullable<ReplayContext['existing']> {
  const { kubeconfig, context, allowContext, allowCluster, namespacePrefix, allowClusterWrite } = flags;
  return given({
    kubeconfig,
    context,
    allowContexts: allowContext,
    allowClusters: allowCluster,
    namespacePrefix,
    allowClusterWrites: allowClusterWrite,
  });
}

/** Parses `--with`, a comma-separated list in one argument. */
export function partsArgument(text: string): readonly ClusterPart[] {
  return text.split(',').map((name) => {
    const part = PARTS.find((one) => one === name.trim());
    if (part === undefined)
      throw usage(`got --with "${text}", expected "kube-controller-manager" or "kube-controller-manager,kwok"`);
    return part;
  });
}

/** Parses `--env`, which may be repeated, and adds it to the earlier values. */
export function envArgument(
  text: string,
  before: { readonly [name: string]: string } | undefined,
): { readonly [name: string]: string } {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_.-]*)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { ...before, [name]: value };
  throw usage(`got --env "${text}", expected NAME=VALUE`);
}

/** Parses `--faults`, names separated by commas; the flag may be repeated. */
export function faultsArgument(
  text: string,
  before: { readonly [name: string]: boolean } | undefined,
): { readonly [name: string]: boolean } {
  const names = text.split(',').map((name) => name.trim());
  const known: readonly string[] = [...FAULT_KINDS, CONNECTION];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return { ...before, ...Object.fromEntries(names.map((name) => [name, true])) };
  throw usage(
    `got --faults "${unknown}", expected "${CONNECTION}" or one of ${FAULT_KINDS.join(', ')}; "stalemate list faults" explains them`,
  );
}

/** Validates `--ready`. Returns it as text, because the configuration has the same form. */
export function readyArgument(text: string): string {
  if (parseReadiness(text) !== undefined) return text;
  throw usage(`got --ready "${text}", expected ${READINESS_FORMS}`);
}

/** Validates `--metrics`. Returns it as text, because the configuration has the same form. */
export function metricsArgument(text: string): string {
  if (isMetricsUrl(text)) return text;
  throw usage(`got --metrics "${text}", expected ${METRICS_FORM}`);
}

/** Returns a parser for a duration such as `30s`, in ms. */
export function timeArgument(flag: string): (text: string) => number {
  return (text) => {
    const time = parseBudget(text);
    if (time?.unit === 'ms') return time.timeMs;
    throw usage(`got ${flag} "${text}", expected a time like "30s" or "2m"`);
  };
}

/** Collects the values of a repeated flag. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

export function usage(message: string): HarnessError {
  return new HarnessError('USAGE', message);
}
