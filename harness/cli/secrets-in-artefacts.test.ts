/** The claim: commands hide every form of every secret in all that they write or print, and a replay still reproduces the finding. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { corpusEntryOf } from '../model/corpus.ts';
import type { Finding } from '../model/finding.ts';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';
import type { SoakLine, SoakRecord } from '../model/soak.ts';
import { FORMATS as REPORT_FORMATS } from '../report/run/formats.ts';
import { recordingOf, recordOf } from '../report/record.ts';
import { redactFinding, redactRecording, redactWords, restoreCounterexample } from '../report/redaction/index.ts';
import { FORMS, NAMED, SECRETS, shownOf, TOKENS } from '../report/redaction/test-secrets.ts';
import { Vault } from '../report/redaction/vault.ts';
import { RESULT } from '../report/run/test-run.ts';
import { renderSummary } from '../report/summary-text.ts';
import { summarise } from '../report/summary.ts';
import { findingOf, HistoryScript } from '../report/test-findings.ts';
import { fileStem } from '../report/title.ts';
import { encodeCorpusEntry } from '../schedule/codec/corpus-entry.ts';
import { encodeCounterexample } from '../schedule/codec/counterexample.ts';
import { encodeRecord } from '../schedule/codec/record.ts';
import { encodeRecording } from '../schedule/codec/recording.ts';
import { encodeSoakLine } from '../schedule/codec/soak-line.ts';
import { budgetsOf } from './baseline.ts';
import { printHead } from './campaign/head.ts';
import { corpusCommand } from './commands/corpus.ts';
import { mergeCommand } from './commands/merge.ts';
import { recheckCommand } from './commands/recheck.ts';
import { recordCommand } from './commands/record.ts';
import { reportCommand } from './commands/report.ts';
import type { Console } from './console.ts';
import { FindingKeeper } from './finding-keeper.ts';
import { InconclusiveKeeper } from './inconclusive-keeper.ts';
import { resolveRun } from './library.ts';
import type { CommandContext } from './command-context.ts';
import { explain } from './explain.ts';
import { OutputGuard } from './output-guard.ts';
import { reportArgument, Reports, type ReportRequest } from './reports.ts';
import { runDocument, scenarioOf } from './scenario.ts';
import { SoakLog } from './soak/log.ts';
import { redactLine } from './soak/redact-line.ts';
import { HarnessError } from '../model/errors.ts';
import { secretSources } from '../execution/config/secret-sources.ts';
import { UnprovedKeeper } from './unproved-keeper.ts';

/** Secrets from a variable and an argument of the program; the others are from a Secret. */
const VARIABLE = 'variable-hunter2-0815';
const ARGUMENT = 'argument-s3cr3t-4711';
const { drawn: DRAWN = '', punctuated: PUNCTUATED = '' } = SECRETS;
/** Two values of a Secret, a variable and an argument. */
const HELD = [DRAWN, PUNCTUATED, VARIABLE, ARGUMENT];

const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** Every form of every secret, and every token, one per line. */
const PLANTED: readonly string[] = [
  ...HELD.flatMap((secret) => Object.values(FORMS).map((form) => form(secret))),
  ...Object.values(TOKENS).map((token) => `token ${token}`),
  ...Object.values(NAMED).map((parts) => parts.join('')),
];

/** Returns the planted secrets and tokens that a text still contains. */
function shown(text: string): readonly string[] {
  return [
    ...shownOf(HELD, text),
    ...Object.values(TOKENS).filter((token) => text.includes(token.slice(0, 24))),
    ...Object.values(NAMED).flatMap(([, secret]) => (text.includes(secret) ? [secret] : [])),
  ];
}

const HELD_BY: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'db', namespace: 'default', uid: 'u-db', resourceVersion: '5' },
  data: { password: base64(DRAWN), phrase: base64(PUNCTUATED) },
};

const COPY: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'copy',
    namespace: 'default',
    uid: 'u-copy',
    resourceVersion: '6',
    labels: { pat: TOKENS['GitHub ghp'] ?? '', half: 'q7Xw2vPz' },
    annotations: { 'example.com/list': JSON.stringify(PLANTED) },
  },
  data: { all: PLANTED.join('\n') },
};

function found(): Finding {
  const script = new HistoryScript();
  script.contention();
  const ok = (object: KubeObject) => ({ type: 'ok', code: 200, object }) as const;
  for (const [resource, object] of [
    ['secrets', HELD_BY],
    ['configmaps', COPY],
  ] as const)
    script.call({
      actor: resource === 'secrets' ? 'user' : 'controller',
      verb: 'create',
      resource,
      name: object.metadata.name ?? '',
      body: object,
      made: object,
      outcome: ok(object),
    });
  script.deliver('controller', 'configmaps', COPY, 0);
  script.process('controller', 'unhandled', PLANTED.at(-1) ?? '');
  script.call({
    ...{ actor: 'controller', verb: 'update', resource: 'configmaps', name: 'copy', body: { notes: PLANTED } },
    outcome: { type: 'fail', code: 422, reason: 'Invalid', message: PLANTED.join(' ') },
  });
  const history = script.history({ logs: PLANTED.map((line, at) => ({ actor: 'controller', line, at, timeMs: at })) });
  const sentence = `controller reverted data.all to ${JSON.stringify(PLANTED.join(' and '))}`;
  const signature = {
    property: 'no-lost-update',
    class: 'c',
    actors: ['target'],
    kind: 'configmaps',
    field: 'data.all',
  };
  const { counterexample, ...rest } = findingOf(history, { signature, sentence, operations: [1], revisions: [6] });
  return {
    ...rest,
    counterexample: {
      ...counterexample,
      target: {
        command: ['./manager', '--admin-token', ARGUMENT, `--dsn=postgres://a:${ARGUMENT}@db`],
        directory: '.',
      },
      workload: {
        ...counterexample.workload,
        sample: [HELD_BY, COPY],
        programs: [
          {
            ...{ actor: 'writer-1', writer: 'foreign-field-writer' },
            ops: PLANTED.map((value) => ({
              ...{ do: 'set', path: ['data', 'all'], value, via: 'json-patch' },
              target: { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'copy' },
            })),
          },
        ],
      },
      schedule: {
        ...EMPTY_SCHEDULE,
        holds: [
          {
            stream: `controller/watch/configmaps/default?pat=${TOKENS['GitHub ghp'] ?? ''}#0`,
            from: '@0',
            until: 'controller/update/configmaps/default/copy#0!answered',
          },
        ],
      },
    },
    neighbour: { without: PLANTED.join(' '), history: { ...history, logs: [] } },
  };
}

const FOUND = found();

let folder: string;
let said: string;
let vault: Vault;
let before: string | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-artefacts-'));
  before = process.env['XDG_STATE_HOME'];
  process.env['XDG_STATE_HOME'] = join(folder, 'state');
  vault = new Vault();
  vault.sources.push(secretSources(config()));
  said = '';
});
afterAll(() => {
  if (before === undefined) delete process.env['XDG_STATE_HOME'];
  else process.env['XDG_STATE_HOME'] = before;
  rmSync(folder, { recursive: true, force: true });
});

const console = (): Console => ({
  ...{ out: (text) => (said += text), err: (text) => (said += text) },
  ...{ color: false, width: 100, cwd: folder, called: 'npx stalemate' },
});

function context(): CommandContext {
  return { console: console(), signal: new AbortController().signal, finish: () => {} };
}

async function command(make: (context: CommandContext) => Command, ...args: readonly string[]): Promise<string> {
  said = '';
  await make(context())
    .exitOverride()
    .parseAsync([...args], { from: 'user' });
  return said;
}

/** Returns all files below a folder as one text, with their names. */
function written(name: string): string {
  return readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`)
    .join('\n');
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function config(): ReturnType<typeof resolveRun> {
  return resolveRun(
    {
      command: [process.execPath, '--admin-token', ARGUMENT],
      env: { DB_PASSWORD: VARIABLE },
      crds: [write('crd.json', JSON.stringify(CRD))],
      samples: [write('sample.json', JSON.stringify(HELD_BY))],
      reportDir: join(folder, 'dir'),
    },
    { cwd: folder },
  );
}

const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Thing', plural: 'things' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

const unjudged = { property: 'convergence', reason: `never started: ${PLANTED.join('; ')}`, schedule: EMPTY_SCHEDULE };

/** Writes the artefacts of one type and returns their content. */
const ARTEFACTS: { readonly [name: string]: () => string | Promise<string> } = {
  'counterexample, record, page and story of a finding': () => {
    const keeper = new FindingKeeper(join(folder, 'dir'), console(), (text) => (said += text), vault);
    keeper.keep(FOUND);
    expect(keeper.fault).toBeUndefined();
    expect(readdirSync(join(folder, 'dir'))).toEqual(expect.arrayContaining(['failures', 'records', 'reports']));
    return written('dir') + said;
  },
  'a violation that is not proved yet': () => {
    const keeper = new UnprovedKeeper(join(folder, 'unproved'), console(), vault);
    keeper.seen(FOUND);
    keeper.close();
    return written('unproved') + said;
  },
  'the run document in each format, the page of the run and the job summary': () => {
    process.env['GITHUB_STEP_SUMMARY'] = join(folder, 'reports', 'step');
    const requests = Object.keys(REPORT_FORMATS).map((format) => `${format}=reports/${format}`);
    const asked = requests.reduce<readonly ReportRequest[]>((all, text) => reportArgument(text, all), []);
    write('reports/step', '');
    const reportDir = join(folder, 'reports', 'dir');
    const reports = new Reports(asked, {
      console: console(),
      reportDir,
      print: (text) => (said += text),
      env: process.env,
    });
    const place = { cwd: folder, env: {}, pathsOf: () => ({ counterexample: null, record: null, page: null }) };
    reports.write(runDocument(scenarioOf(config(), redacted(), place), config(), vault));
    delete process.env['GITHUB_STEP_SUMMARY'];
    expect(readdirSync(join(folder, 'reports')).sort()).toEqual([...Object.keys(REPORT_FORMATS), 'dir', 'step'].sort());
    return written('reports') + said;
  },
  'the summary, and the same as JSON': () => {
    const summary = summarise(redacted(), () => undefined);
    printHead(config(), 'seed 1', { print: (text) => (said += text), console: console(), vault });
    return `${said}${JSON.stringify(summary)}${renderSummary(summary, console())} redacted-`;
  },
  'a run that nothing can be said about': () => {
    const failures: unknown[] = [];
    const keeper = new InconclusiveKeeper(join(folder, 'unclear'), folder, (error) => failures.push(error));
    keeper.keep(() => recordingOf(redactRecording({ ...unjudged, history: FOUND.record }, vault, config())));
    expect(failures).toEqual([]);
    return written('unclear') + JSON.stringify(keeper.files);
  },
  'lines of a soak': () => {
    mkdirSync(join(folder, 'soak'), { recursive: true });
    const log = new SoakLog(join(folder, 'soak'));
    for (const line of lines()) log.append(redactLine(line, vault));
    log.close();
    return written('soak');
  },
  'lines of a soak that are added up': async () => {
    write(
      'old/soak.jsonl',
      lines()
        .map((line) => `${encodeSoakLine(line)}\n`)
        .join(''),
    );
    const output = await command(mergeCommand, join(folder, 'old'), '--output', join(folder, 'merged'));
    expect(readdirSync(join(folder, 'merged'))).toEqual(
      expect.arrayContaining(['soak.jsonl', 'failures', 'recordings']),
    );
    return written('merged') + output;
  },
  'a baseline': () => {
    const updated = { ...config(), baseline: join(folder, 'base', 'baseline.json') };
    const measured = { ...redacted(), measures: { requestsUndisturbed: 2 } };
    const manner = { print: () => {}, failures: [], cwd: folder };
    budgetsOf({ baseline: undefined, update: true }, updated, measured, manner);
    return written('base');
  },
  'a recording': async () => {
    const output = await command(
      recordCommand,
      '--audit-log',
      write('audit.log', auditLog()),
      '--out',
      'rec/recording.json',
    );
    return written('rec') + output;
  },
  'an entry of the corpus, listed and explained': async () => {
    const file = write('clear.json', encodeCounterexample(FOUND.counterexample));
    const kept = ['--corpus', join(folder, 'corpus')];
    const promoted = await command(corpusCommand, 'promote', file, ...kept);
    const state = { state: 'open', reason: PLANTED.join(' '), since: '2026-01-01' } as const;
    write('older/entry.json', encodeCorpusEntry(corpusEntryOf(FOUND.counterexample, state)));
    const older = ['--corpus', join(folder, 'older')];
    const listed = await command(corpusCommand, 'list', '--json', ...older);
    const explained = await command(corpusCommand, 'explain', 'entry', ...older);
    return written('corpus') + promoted + listed + explained + (await command(corpusCommand, 'list', ...older));
  },
  'the page of an older record, and what is judged of it': async () => {
    const file = write('records/old.json', encodeRecord(recordOf(FOUND)));
    const told = await command(reportCommand, file, '--out', 'page/old.html');
    const recording = recordingOf({ ...unjudged, history: FOUND.record });
    const unclear = write('records/unclear.json', encodeRecording(recording));
    await command(reportCommand, unclear, '--out', 'page/unclear.html');
    return written('page') + told + (await command(recheckCommand, join(folder, 'records'), '--json'));
  },
  'messages of errors': () => {
    const guard = new OutputGuard(vault);
    guard.learn(secretSources(config()));
    guard.learn(HELD_BY);
    for (const text of PLANTED)
      explain(new HarnessError('TARGET_FAILED', `it ended: ${text}`), { err: (line) => (said += guard.safe(line)) });
    return said;
  },
};

function redacted(): ReturnType<typeof redactWords<typeof RESULT>> {
  const finding = redactFinding(FOUND, vault);
  const result = {
    ...RESULT,
    outcome: 'violated' as const,
    findings: [finding],
    warnings: [PLANTED.join('; ')],
    remarks: [{ signature: finding.violation.signature, sentence: PLANTED.join(' '), count: 1 }],
    inconclusive: { count: 1, reasons: { [unjudged.reason]: 1 }, examples: { [unjudged.reason]: PLANTED[0] ?? '' } },
  };
  return redactWords(result, [secretSources(config()), HELD_BY], vault);
}

/** Lines of a soak before redaction. */
function lines(): readonly SoakLine[] {
  const place = { version: 1, kind: 'soak-line', about: 'a1', epoch: '2026-01-01', shard: '1/1', at: '' } as const;
  const about = {
    name: 'n',
    target: PLANTED.join(' '),
    cluster: 'embedded',
    file: null,
    properties: [],
    contended: true,
  } as const;
  const recording = recordingOf({ ...unjudged, history: FOUND.record });
  return [
    { ...place, line: 'about', ...about, seed: 1, budget: { runs: 1 }, program: null },
    { ...place, line: 'finding', batch: 0, record: recordOf(FOUND) as SoakRecord },
    { ...place, line: 'inconclusive', batch: 0, recording },
    {
      ...place,
      line: 'failed',
      batch: 1,
      message: `login with --password=${DRAWN} failed: ${TOKENS['JWT'] ?? ''}`,
    },
  ];
}

function auditLog(): string {
  const event = (verb: string, uri: string, more: JsonObject): string =>
    JSON.stringify({
      ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'RequestResponse', stage: 'ResponseComplete', verb },
      ...{ auditID: uri, requestURI: uri, userAgent: `manager ${DRAWN}`, responseStatus: { code: 200 } },
      ...{ requestReceivedTimestamp: '2026-01-01T00:00:00.000Z', stageTimestamp: '2026-01-01T00:00:01.000Z', ...more },
    });
  const foreign = { ...HELD_BY, metadata: { ...HELD_BY.metadata, name: 'theirs', namespace: 'theirs', uid: 'u-2' } };
  return [
    event('create', '/api/v1/namespaces/default/secrets', { requestObject: HELD_BY, responseObject: HELD_BY }),
    event('update', '/api/v1/namespaces/default/configmaps/copy', { requestObject: COPY, responseObject: COPY }),
    event('list', '/api/v1/secrets', {
      responseObject: { kind: 'SecretList', apiVersion: 'v1', metadata: {}, items: [HELD_BY, foreign] },
    }),
  ].join('\n');
}

describe('what a command writes or prints holds no form of a secret', () => {
  it('though all of it is in what was found', () => {
    const text = JSON.stringify(FOUND.record);

    for (const secret of HELD) expect(shownOf([secret], text).length).toBeGreaterThan(100);
  });

  it.each(Object.entries(ARTEFACTS))('%s', async (_, make) => {
    said = '';
    const text = await make();

    expect(shown(text)).toEqual([]);
    expect(text).toContain('redacted-');
  });

  it('and no Secret of others', () => {
    expect(written('rec')).toContain('"db"');
    expect(written('rec')).not.toContain('theirs');
  });
});

it('replays what was found, to the letter, and on another machine the same with stand-ins', () => {
  const { counterexample } = redactFinding(FOUND, vault);
  const elsewhere = new Vault(join(folder, 'another'));

  expect(restoreCounterexample(counterexample, new Vault())).toEqual({ value: FOUND.counterexample, unknown: [] });
  expect(restoreCounterexample(counterexample, elsewhere).value).toEqual(counterexample);
  const labels = counterexample.workload.sample[1]?.metadata.labels ?? {};
  expect(counterexample.schedule.holds[0]?.stream).toBe(`controller/watch/configmaps/default?pat=${labels['pat']}#0`);
  for (const value of Object.values(labels)) expect(value).toMatch(/^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/);
  expect(fileStem(redactFinding(FOUND, vault).violation)).toBe(fileStem(FOUND.violation));
});
