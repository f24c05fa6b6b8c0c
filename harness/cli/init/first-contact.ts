/**
 * Makes the first contact with a target: starts it without objects, then with samples, to find out what it requests and what it
 * does.
 *
 * Owns: the order, the time limits, and the output. Start at {@link makeContact}.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { realNow } from '../../determinism/real-time.ts';
import type { RunConfig } from '../../execution/config/run-config.ts';
import { secretSources } from '../../execution/config/secret-sources.ts';
import { isSilent, isUp, repeatedErrors } from '../../execution/run/undisturbed-trouble.ts';
import { roleOf } from '../../model/actor.ts';
import { isWrite, type History, type ProcessEvent } from '../../model/history.ts';
import { groupOf } from './definitions.ts';
import { countText } from '../../report/count-text.ts';
import { lastLinesOf, linesAbout, printedLines } from '../../report/last-words.ts';
import type { CommandContext } from '../command-context.ts';
import { consented } from '../questions.ts';
import type { Choice, InitFlags } from './choose.ts';
import { effectOf, type Effect } from './effects.ts';
import { paragraphs } from './found-text.ts';
import { missingKindsIn, missingText, type MissingGroup } from './missing-kinds.ts';
import { definitionsOf, originsOf, type ModuleCrds, type Module } from './origins.ts';
import { missingInLog, neededFiles } from './needed-files.ts';
import { SAMPLE_FILE } from './plan.ts';
import type { Candidate } from './samples.ts';
import { tryCandidates, type Choosing, type Tried } from './try-candidates.ts';

/** Time limit of all trials before the first run, in ms of real time. */
const TRY_MS = 90_000;
/** Time limit of a single trial; after this time, a trial has shown its effect. */
const RUN_MS = 20_000;
/** Maximum number of printed lines of each type (log lines, refused requests, events) if the target has no effect to show. */
const LINES_MAX = 8;
/** Maximum number of other programs that are named. */
const OTHERS_MAX = 4;
/** Maximum number of times that missing configuration is added: a program may stop at the first thing that it lacks. */
const NEEDED_ROUNDS = 4;
const FETCHED_FOLDER = '.stalemate/crds';

/** The result: the options for the configuration, or that nothing can be run. */
export type Contact = { readonly choice: Choice } | { readonly nothing: true };

/** Starts the target without a sample, installs CRDs that it lacks, and chooses samples by their effect. */
export async function makeContact(choice: Choice, flags: InitFlags, context: CommandContext): Promise<Contact> {
  const { console } = context;
  const say = (head: string, text: string): void => console.out(paragraphs([[head, text]], console.width));
  const until = realNow() + TRY_MS;
  const { others = [] } = choice.found.program ?? {};
  const ended = (detail: string, alone: History, left: readonly MissingGroup[] = []): Contact =>
    printEnded(detail, alone, left, { say, called: console.called, others });
  let now = choice;
  let alone = await runAlone(now, until, context);
  if (alone === undefined) return { choice };
  if (isSilent(alone)) {
    const end = endOf(alone);
    return end === undefined ? { choice } : ended(end.detail, alone);
  }
  const missing = missingKindsIn(alone, groupsOf(now.found.definitions.crds));
  let left = missing;
  if (missing.length > 0) {
    const fetched = await fetchMissing(missing, now, flags, { cwd: console.cwd, say });
    left = missing.filter(({ group }) => !fetched.some(({ crds }) => groupsOf(crds).has(group)));
    if (fetched.length > 0) {
      now = withFetched(now, fetched, console.cwd);
      alone = (await runAlone(now, until, context)) ?? alone;
    }
  }
  for (let round = 0; round < NEEDED_ROUNDS && !isUp(alone); round++) {
    const richer = withNeeded(now, alone, say);
    if (richer === undefined) break;
    now = richer;
    alone = (await runAlone(now, until, context)) ?? alone;
  }
  const end = endOf(alone);
  if (end !== undefined && isStuck(alone)) return ended(end.detail, alone, left);
  if (flags.sample !== undefined)
    return left.length > 0 && isStuck(alone) ? printStuck(left, alone, say) : { choice: now };
  const config = await configOf(now, context);
  let last: History | undefined;
  const about = new Set<string>();
  let before = '';
  const choosing: Choosing = {
    repository: now.repository,
    crds: config.crds,
    namespace: config.namespace,
    alone,
    run: async (groups) => await runGroups(groups, config, until, context),
    onTried: ({ name, effect, history, candidate }) => {
      for (const line of linesAbout(history, namesOf(candidate, config.namespace))) about.add(line);
      const text = effectText(effect);
      say('tried', `${name}: ${text.length > SHORT && text === before ? 'the same' : text}`);
      before = text;
      last = history;
    },
  };
  const chosen = await tryCandidates(choosing);
  if (chosen.length === 0) {
    if (left.length > 0 && isStuck(alone)) return printStuck(left, alone, say);
    if (end !== undefined && !isUp(alone)) return ended(end.detail, alone);
    return printNoEffect(last ?? alone, [...about], say, console.called);
  }
  for (const group of left) say('note', `${missingText(group)}: not there, and it works without`);
  for (const trouble of repeatedErrors(chosen[0]?.history ?? alone)) say('note', trouble);
  return { choice: withSamples(now, chosen) };
}

/**
 * Extends the installed manifests with project files that define objects which the target requested in vain; undefined if there are none.
 */
function withNeeded(choice: Choice, alone: History, say: Say): Choice | undefined {
  const { manifests } = choice.options;
  if (manifests === undefined) return undefined;
  const missing = [...effectOf(alone, undefined).wanted, ...missingInLog(lastLinesOf(alone))];
  const files = neededFiles(choice.repository, missing, manifests);
  if (files.length === 0) return undefined;
  say('tried', `with ${files.join(', ')}: the target asks for what is in there`);
  return { ...choice, options: { ...choice.options, manifests: [...manifests, ...files] } };
}

function groupsOf(crds: readonly KubeObject[]): ReadonlySet<string> {
  return new Set(crds.map(groupOf).filter((group) => group !== ''));
}

async function configOf({ options }: Choice, { console }: CommandContext): Promise<RunConfig> {
  const { resolveRun } = await import('../library.ts');
  const config = resolveRun({ ...options, samples: [] }, { cwd: console.cwd }, true);
  console.learn?.(secretSources(config));
  return config;
}

async function runAlone(choice: Choice, until: number, context: CommandContext): Promise<History | undefined> {
  const tried = await runGroups([{ name: '', objects: [] }], await configOf(choice, context), until, context);
  return tried.get('');
}

async function runGroups(
  groups: Parameters<Choosing['run']>[0],
  config: RunConfig,
  until: number,
  { signal }: CommandContext,
): Promise<ReadonlyMap<string, History>> {
  const timeMs = until - realNow();
  if (timeMs <= 0) return new Map();
  const { tryConfigured } = await import('../library.ts');
  return await tryConfigured(groups, config, { runMs: RUN_MS, timeMs, signal });
}

interface Telling {
  readonly cwd: string;
  readonly say: Say;
}

type Say = (head: string, text: string) => void;

/** Prints the missing groups and their origins, and downloads their CRDs if the user agrees. */
async function fetchMissing(
  missing: readonly MissingGroup[],
  { found: { program, definitions } }: Choice,
  flags: InitFlags,
  { cwd, say }: Telling,
): Promise<readonly ModuleCrds[]> {
  const main = program?.setUp === 'go' ? program.build?.at(-1) : undefined;
  const origins =
    main === undefined
      ? new Map<string, Module>()
      : originsOf(
          missing.map(({ group }) => group),
          main,
          join(cwd, program?.module ?? '.'),
        );
  for (const group of missing) {
    const origin = origins.get(group.group);
    const from = origin === undefined ? '' : `; its types are from ${origin.path} ${origin.version}`;
    say('missing', `the target requests ${missingText(group)}, which no CRD declares${from}`);
  }
  const local = foundHere(missing, definitions.others);
  for (const { crds } of local)
    say('found', `${countText(crds.length, 'CRD')} of ${[...groupsOf(crds)].join(', ')} in the repository`);
  const remote = [...origins].filter(([group]) => !local.some(({ crds }) => groupsOf(crds).has(group)));
  if (remote.length === 0) return local;
  const may = flags.yes === true || (await consented('Fetch their CRDs from the Go module proxy? [y/N] '));
  if (!may) {
    say('note', 'nothing was fetched; --yes agrees to it');
    return local;
  }
  const brought = remote.flatMap(([group, origin]): readonly ModuleCrds[] => {
    const found = definitionsOf(group, origin);
    if (found === undefined) {
      say('note', `neither ${origin.path} ${origin.version} nor a module around it holds CRDs of ${group}`);
      return [];
    }
    say(
      'fetched',
      `${countText(found.crds.length, 'CRD')} of ${group} from ${found.module.path} ${found.module.version}`,
    );
    return [found];
  });
  return [...local, ...brought];
}

/** Finds CRDs that the repository contains for development or tests. */
function foundHere(missing: readonly MissingGroup[], others: readonly KubeObject[]): readonly ModuleCrds[] {
  return missing.flatMap(({ group }): readonly ModuleCrds[] => {
    const crds = others.filter((crd) => groupsOf([crd]).has(group));
    return crds.length === 0 ? [] : [{ module: { path: group, version: '', folder: '' }, crds }];
  });
}

/** Writes the downloaded CRDs into the project, where its configuration will find them. */
function withFetched(choice: Choice, fetched: readonly ModuleCrds[], cwd: string): Choice {
  const folders = fetched.map(({ module, crds }) => {
    const version = module.version === '' ? '' : `@${module.version}`;
    const folder = `${FETCHED_FOLDER}/${module.path.replaceAll('/', '_')}${version}`;
    mkdirSync(join(cwd, folder), { recursive: true });
    for (const crd of crds) writeFileSync(join(cwd, folder, `${crd.metadata.name ?? ''}.yaml`), stringify(crd));
    return folder;
  });
  return {
    ...choice,
    options: { ...choice.options, crds: [...new Set([...(choice.options.crds ?? []), ...folders])] },
  };
}

/** Lists files that contain nothing but chosen objects, and puts all other chosen objects into a file of our own. */
function withSamples(choice: Choice, chosen: readonly Tried[]): Choice {
  const named = chosen.filter(({ candidate, beside }) => candidate.whole && beside.length === 0);
  const rest = chosen.filter((tried) => !named.includes(tried));
  const drawn = rest
    .map(
      ({ name, candidate, beside }) =>
        `# ${name}\n${[...beside, ...candidate.objects].map((object) => stringify(object)).join('---\n')}`,
    )
    .join('---\n');
  const samples = [...named.map(({ candidate }) => candidate.file), ...(drawn === '' ? [] : [SAMPLE_FILE])];
  const isDrawn = rest.some(({ candidate }) => candidate.file === '');
  return {
    ...choice,
    found: {
      ...choice.found,
      samples: { ...choice.found.samples, files: samples, drawn, drawnKinds: isDrawn ? ['an object'] : [] },
    },
    options: { ...choice.options, samples },
  };
}

function effectText({ written, refused, denied, wanted, restless }: Effect): string {
  if (refused !== '') return `refused: ${refused}`;
  const vain = wanted.map(
    ({ resource, namespace, name }) => `${resource} ${namespace === '' ? '' : `${namespace}/`}${name}`,
  );
  const missingObjects =
    vain.length === 0 ? '' : `; requests what does not exist: ${vain.slice(0, WANTED_SHOWN).join(', ')}`;
  const failed = denied === '' ? '' : `, the API server refused its ${denied}`;
  return `${written === '' ? 'nothing written' : written}${failed}${restless ? ', again and again' : ''}${missingObjects}`;
}

const WANTED_SHOWN = 3;
/** Maximum length of a description that is repeated for each of several samples. */
const SHORT = 60;

function endOf({ processes }: History): ProcessEvent | undefined {
  return processes.findLast(({ kind }) => kind === 'exited');
}

/** Reports whether the target has not written anything, and so never reconciled. */
function isStuck({ operations }: History): boolean {
  return !operations.some(({ actor, verb }) => roleOf(actor) === 'target' && isWrite(verb));
}

function printStuck(left: readonly MissingGroup[], alone: History, say: Say): Contact {
  say('stopped', `the target does nothing without ${left.map(missingText).join(', ')}`);
  for (const line of printedLines(lastLinesOf(alone))) say('', line);
  say('next', 'add their CRDs to "crds" in the configuration, or agree to fetching them (--yes)');
  return { nothing: true };
}

/**
 * Reports that the target exits even without a sample. No sample would help; the user has to provide what the target lacked when it exited.
 */
function printEnded(
  detail: string,
  alone: History,
  left: readonly MissingGroup[],
  { say, called, others }: { readonly say: Say; readonly called: string; readonly others: readonly string[] },
): Contact {
  say('stopped', `the target does not stay up, also without any sample: ${detail}`);
  for (const line of effectOf(alone, undefined).failed.slice(0, LINES_MAX)) say('', `refused: ${line}`);
  for (const line of printedLines(lastLinesOf(alone))) say('', line);
  for (const group of left) say('', `it requests ${missingText(group)}, which no CRD declares`);
  say('next', 'add what it needs to "manifests", "env" or "command" in the configuration');
  if (others.length > 0)
    say(
      '',
      `or, if it is another program (${others.slice(0, OTHERS_MAX).join(', ')}): ${called} init --force -- ${others[0]}`,
    );
  return { nothing: true };
}

function namesOf({ objects }: Candidate, usual: string): readonly { namespace: string; name: string }[] {
  return objects.map(({ metadata: { namespace = usual, name = '' } }) => ({ namespace, name }));
}

/** Prints the target's events, its failed requests and its log lines about the samples, because they may show what it waits for. */
function printNoEffect(last: History, about: readonly string[], say: Say, called: string): Contact {
  const { failed, events } = effectOf(last, undefined);
  say('stopped', 'no sample that was tried makes the target write anything, so a run would prove nothing');
  for (const line of about.slice(0, LINES_MAX)) say('', `it logged: ${line}`);
  for (const line of failed.slice(0, LINES_MAX)) say('', `refused: ${line}`);
  for (const line of events.slice(0, LINES_MAX)) say('', `event: ${line}`);
  if (about.length === 0) for (const line of printedLines(lastLinesOf(last))) say('', line);
  say('next', `name objects that it acts on: ${called} init --force --sample FILE`);
  return { nothing: true };
}
