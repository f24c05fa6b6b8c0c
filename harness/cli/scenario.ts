/** Converts a campaign of the command line to a scenario of the run document. */
import { basename, relative } from 'node:path';
import { budgetText } from '../execution/config/budget.ts';
import { versions } from '../execution/versions.ts';
import type { RunConfig } from '../execution/config/run-config.ts';
import { secretSources } from '../execution/config/secret-sources.ts';
import type { CampaignResult } from '../model/finding.ts';
import type { CorpusSummary } from '../report/corpus-summary.ts';
import { redactRun } from '../report/redaction/index.ts';
import type { Vault } from '../report/redaction/vault.ts';
import { makeRun, makeScenario, type ScenarioFacts } from '../report/run/make-document.ts';
import type { RunDocument, Scenario } from '../report/run/document.ts';
import { annotated } from './reports.ts';

export interface ScenarioPlace extends Pick<ScenarioFacts, 'pathsOf' | 'unjudgedPageOf' | 'again'> {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string | undefined };
}

/** Maximum number of samples in a scenario's name. */
const SAMPLES_MAX = 3;

/** @param result - With redacted findings. */
export function scenarioOf(
  config: RunConfig,
  result: CampaignResult,
  { cwd, env, ...pages }: ScenarioPlace,
  corpus?: CorpusSummary,
): Scenario {
  const facts = { ...namesOf(config, { cwd, env }), budget: budgetText(config.budget), ...pages };
  return makeScenario(result, facts, corpus);
}

/** Returns the names by which a campaign is reported. */
export function namesOf(
  config: RunConfig,
  { cwd, env }: Pick<ScenarioPlace, 'cwd' | 'env'>,
): Omit<ScenarioFacts, 'budget' | 'pathsOf'> & Pick<RunConfig, 'cluster'> {
  const target = targetText(config, cwd);
  const samples = config.samples.map(({ kind, metadata }) => `${kind}/${metadata.name ?? metadata.generateName ?? ''}`);
  const more = samples.length > SAMPLES_MAX ? [`${samples.length - SAMPLES_MAX} more`] : [];
  const short = config.target === '' ? basename(config.process?.command[0] ?? '') : target;
  const file = config.target === '' ? config.configFile : config.target;
  return {
    name: `${short} with ${[...samples.slice(0, SAMPLES_MAX), ...more].join(', ')}`,
    target,
    cluster: config.cluster,
    file: file === null ? null : annotated(file, cwd, env),
    properties: config.properties,
  };
}

/** Names the target: `stalemate.target.ts`, or the command of a process, with the programs beside it. */
export function targetText(config: RunConfig, cwd: string): string {
  if (config.target !== '') return relative(cwd, config.target);
  const { command = [], programs = {} } = config.process ?? {};
  const beside = Object.entries(programs).map(([name, program]) => `${name}: ${program.command.join(' ')}`);
  return [command.join(' '), ...beside].join(', with ');
}

/** Makes the document of a run with one campaign, without the secrets of its configuration. */
export function runDocument(scenario: Scenario, config: RunConfig, vault: Vault): RunDocument {
  return redactRun(makeRun([scenario], versions()), secretSources(config), vault);
}
