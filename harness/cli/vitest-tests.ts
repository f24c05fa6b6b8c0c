/**
 * Campaigns and claims as vitest tests: each property is a test, each finding a failure with its story, and the stack begins at
 * the line of the test file.
 *
 * No campaign runs while vitest collects tests. Owns: which tests there are, and when they fail. Start at
 * {@link testController}.
 */
import * as fc from 'fast-check';
import { beforeAll, describe, it } from 'vitest';
import { readConfig } from './configured.ts';
import type { StalemateOptions } from '../execution/config/options.ts';
import type { RunConfig } from '../execution/config/run-config.ts';
import { callerFrames, withFrames } from '../execution/lab/user-frames.ts';
import { HarnessError } from '../model/errors.ts';
import type { CheckResult } from '../model/check-result.ts';
import type { History } from '../model/history.ts';
import type { Property } from '../oracle/property.ts';
import { redactWords } from '../report/redaction/index.ts';
import { Vault } from '../report/redaction/vault.ts';
import { failing, notGreen, wasTested, type Scenario } from '../report/run/document.ts';
import { checkFolder } from '../report/write-files.ts';
import { budgetArgument, seedArgument } from './arguments.ts';
import { USUALLY_CALLED } from './called.ts';
import { FindingKeeper } from './finding-keeper.ts';
import { openLab, resolveRun, runConfigured } from './library.ts';
import { secretSources } from '../execution/config/secret-sources.ts';
import { scenarioOf } from './scenario.ts';

/** Fixed, so that whether the tests pass depends on the change and not on chance; nightly runs can set another seed. */
const SEED = 1;
/** Disables vitest's time limit: a campaign ends by its own budget, and its supervisor ends a worker that hangs. */
const NO_LIMIT = 0;
const WIDTH = 100;

export interface ControllerTestOptions {
  /** Title of the suite; default `stalemate`. */
  readonly name?: string;
  /** Folder that relative paths refer to; default the working directory. */
  readonly cwd?: string;
}

/**
 * A suite with one test per property: it runs a campaign, and a finding fails the test of its property.
 *
 * Seed 1 by default; the variables `STALEMATE_SEED` and `STALEMATE_BUDGET` override the options.
 *
 * @param source - The options, or a configuration file; default the `stalemate.config.*` of the working directory.
 * @example
 * import { testController } from 'stalemate/vitest';
 * testController({ target: './stalemate.target.ts', crds: ['config/crd'], samples: ['sample.yaml'], budget: '30s' });
 */
export function testController(source?: StalemateOptions | string, test: ControllerTestOptions = {}): void {
  const frames = framesOfTest();
  const { name = 'stalemate', cwd = process.cwd() } = test;
  describe(name, async () => {
    const config = await withCodeFrame(frames, () => configOf(source, cwd));
    let scenario: Scenario | undefined;
    beforeAll(async () => {
      scenario = await withCodeFrame(frames, () => campaign(config, cwd));
    }, NO_LIMIT);

    for (const { name } of config.properties) {
      it(name, ({ skip }) => {
        if (scenario === undefined) throw new Error('the campaign has not ended');
        const findings = failing(scenario).filter(({ property }) => property === name);
        const errors = findings.map(({ story }) => withFrames(new Violated(story), frames));
        if (errors.length > 1) throw new AggregateError(errors, `${errors.length} findings`);
        if (errors[0] !== undefined) throw errors[0];
        const line = scenario.properties.find((property) => property.name === name);
        if (line !== undefined && !wasTested(line)) skip('no run put this property to the test');
      });
    }
    it('enough was tried', () => {
      const why = scenario === undefined ? undefined : notGreen(scenario);
      if (why !== undefined) throw withFrames(new Error(why), frames);
    });
  });
}

/** True or nothing if it holds; false, a short reason, or a thrown error (by `expect`) if it does not. */
export type Claim = (history: History) => boolean | string | void;

export interface ClaimOptions extends StalemateOptions {
  /** Folder that relative paths refer to; default the working directory. */
  readonly cwd?: string;
  /** Number of trials; default 200. */
  readonly runs?: number;
}

const CLAIM_RUNS = 200;

/**
 * One test: a claim of your own about the history of every trial. If a trial fails, it is shrunk, and the test fails with the story of the
 * smallest failing trial.
 *
 * @example
 * import { testClaim } from 'stalemate/vitest';
 * testClaim('deletes at most twice', options, ({ operations }) => operations.filter(({ verb }) => verb === 'delete').length <= 2);
 */
export function testClaim(name: string, options: ClaimOptions, claim: Claim): void {
  const frames = framesOfTest();
  const { cwd = process.cwd(), runs = CLAIM_RUNS, ...rest } = options;
  const property = claimed(name, claim);
  it(
    name,
    async () => {
      const { budget: _, seed, ...own } = fromVariables(rest);
      const lab = await withCodeFrame(frames, () => openLab({ ...own, properties: [property] }, { cwd }));
      try {
        await fc.assert(fc.asyncProperty(lab.trials(), lab.holds(property.name)), { seed, numRuns: runs });
      } catch (error) {
        // Only the story is shown; the counterexample replaces fast-check's seed and path.
        const story =
          error instanceof Error && error.cause instanceof Error ? new Violated(ownReplay(error.cause.message)) : error;
        throw story instanceof Violated || story instanceof HarnessError ? withFrames(story, frames) : story;
      } finally {
        await lab.close();
      }
    },
    NO_LIMIT,
  );
}

/** The error of a failed test. It has a readable name, because vitest prints the name in its list of failures. */
class Violated extends Error {
  override readonly name = 'Violated';
}

/** Makes a property from a claim. Its name is kebab-case, because names of properties occur in file names and on command lines. */
function claimed(title: string, claim: Claim): Property {
  const name =
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'claim';
  const check = (history: History): CheckResult => {
    const answer = answerOf(claim, history);
    if (answer === true || answer === undefined) return { result: 'holds' };
    const sentence = answer === false ? 'does not hold' : answer;
    const signature = { property: name, class: '', actors: ['target'], kind: '', field: '' };
    const at = Number.MAX_SAFE_INTEGER;
    const violation = { signature, sentence, operations: [], revisions: [], at, severity: 'error' as const };
    return { result: 'violated', violations: [violation] };
  };
  return { name, kind: 'safety', about: title, check };
}

/**
 * Evaluates a claim. An error that the claim throws counts as a violation with the error's message: if it counted as inconclusive, the
 * trial would be repeated in vain.
 */
function answerOf(claim: Claim, history: History): boolean | string | void {
  try {
    return claim(history);
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] || 'the claim throws';
  }
}

/** Replaces the replay command: the claim is unknown to the command line but known to the test, which makes the same trials again. */
function ownReplay(story: string): string {
  return story.replace(
    /^ replay: npx stalemate replay (.*)$/m,
    ' counterexample: $1; to replay it, run this test again',
  );
}

/** Moves the stack of an error in options or target to the line of the test; faults of the harness keep their own stack. */
async function withCodeFrame<T>(frames: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof HarnessError ? withFrames(error, frames) : error;
  }
}

function framesOfTest(): string {
  return callerFrames(import.meta.url);
}

async function configOf(source: StalemateOptions | string | undefined, cwd: string): Promise<RunConfig> {
  if (typeof source === 'object') return resolveRun(fromVariables(source), { cwd });
  const { options, ...file } = await readConfig(source, cwd);
  return resolveRun(fromVariables(options), { cwd, ...file });
}

function fromVariables(options: StalemateOptions): StalemateOptions & { readonly seed: number } {
  const { STALEMATE_SEED: seed = '', STALEMATE_BUDGET: budget = '' } = process.env;
  return {
    ...options,
    seed: seed === '' ? (options.seed ?? SEED) : seedArgument(seed),
    ...(budget === '' ? {} : { budget: budgetArgument(budget) }),
  };
}

/** Writes findings like `stalemate run`; the failures of the tests report them. */
async function campaign(config: RunConfig, cwd: string): Promise<Scenario> {
  checkFolder(config.reportDir);
  const vault = new Vault();
  vault.sources.push(secretSources(config));
  const silent = (): void => {};
  const keeper = new FindingKeeper(
    config.reportDir,
    { out: silent, err: silent, color: false, width: WIDTH, cwd, called: USUALLY_CALLED },
    silent,
    vault,
  );
  const result = await runConfigured(config, { events: { onFinding: (finding) => keeper.keep(finding) } });
  if (keeper.fault !== undefined) throw keeper.fault;
  const redacted = redactWords(keeper.withoutSecrets(result), secretSources(config), vault);
  return scenarioOf(config, redacted, { cwd, env: process.env, pathsOf: keeper.pathsOf.bind(keeper) });
}
