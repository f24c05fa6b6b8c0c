/** Read-only commands in an untrusted project: they start, import and contact nothing that it names, and write only requested files. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { corpusEntryOf } from '../model/corpus.ts';
import type { CounterexampleTarget } from '../model/counterexample.ts';
import { recordOf } from '../report/record.ts';
import { batchResult, entry, finding, head } from '../report/soak/test-lines.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { encodeCorpusEntry } from '../schedule/codec/corpus-entry.ts';
import { encodeCounterexample } from '../schedule/codec/counterexample.ts';
import { encodeRecord } from '../schedule/codec/record.ts';
import { encodeSoakLine } from '../schedule/codec/soak-line.ts';
import type { Observed } from './observed-commands.ts';

const OBSERVER = fileURLToPath(new URL('./observed-commands.ts', import.meta.url));
const CRD = fileURLToPath(new URL('./targets/crd.yaml', import.meta.url));
const SAMPLE = fileURLToPath(new URL('./targets/sample.yaml', import.meta.url));

/** Targets that each create a file when they are started or imported. */
const TARGETS: { readonly [name: string]: CounterexampleTarget } = {
  program: { command: ['sh', '-c', 'touch was-here'], directory: '.', network: 'host' },
  module: { module: 'evil.ts', transport: 'http-library' },
};
const PROJECT = {
  'evil.ts': 'import { writeFileSync } from "node:fs";\nwriteFileSync("was-here", "");\nexport default () => {};\n',
  'kopf.py': 'open("was-here", "w")\n',
  'handlers.py': 'import kopf\n@kopf.on.create("widgets")\ndef made(**_): pass\n',
  'crds/crd.yaml': readFileSync(CRD, 'utf8'),
  'samples/sample.yaml': readFileSync(SAMPLE, 'utf8'),
  'module.yaml': 'target: evil.ts\ncrds: [crds/crd.yaml]\nsamples: [samples/sample.yaml]\n',
  'program.yaml': 'command: [sh, -c, touch was-here]\ncrds: [crds/crd.yaml]\nsamples: [samples/sample.yaml]\n',
};
const AUDITED = {
  ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'RequestResponse', auditID: '1', verb: 'get' },
  ...{ stage: 'ResponseComplete', requestURI: '/api/v1/namespaces/default/configmaps/a', userAgent: 'manager' },
  ...{ requestReceivedTimestamp: '2026-01-01T00:00:00.000Z', stageTimestamp: '2026-01-01T00:00:00.002Z' },
  responseStatus: { code: 404 },
};

const LINES: readonly (readonly string[])[] = [
  ['report', 'records'],
  ['report', 'failures/program.json', '--out', 'page.html'],
  ['recheck', 'records'],
  ['recheck', 'failures/program.json'],
  ['merge', 'soak.jsonl', '--output', 'merged'],
  ['record', '--audit-log', 'audit.log', '--out', 'recording.json'],
  ['corpus', 'list'],
  ['corpus', 'explain', 'program'],
  ['corpus', 'promote', 'failures/module.json'],
  ['corpus', 'prune', 'program'],
  ['init', '--dry-run'],
  ['doctor'],
  ['doctor', '--config', 'module.yaml'],
  ['doctor', '--config', 'program.yaml'],
  ['list', 'properties'],
  ['completion', 'bash'],
  ['clean'],
  ['serve', '--plain-http', '--write-kubeconfig', 'kubeconfig'],
];

let folder: string;
let observed: readonly Observed[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-looking-'));
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const path of ['.kube/config', '.ssh/id_ed25519', '.npmrc']) put(`home/${path}`, 'secret');
  for (const [path, text] of Object.entries(PROJECT)) put(`project/${path}`, text);
  for (const [name, target] of Object.entries(TARGETS)) {
    const told = { ...lostUpdate(), counterexample: { ...lostUpdate().counterexample, target } };
    put(`project/records/${name}.json`, encodeRecord(recordOf(told)));
    put(`project/failures/${name}.json`, encodeCounterexample(told.counterexample));
    const state = { state: 'open', reason: '', since: '2026-11-22' } as const;
    put(`project/.stalemate/corpus/${name}.json`, encodeCorpusEntry(corpusEntryOf(told.counterexample, state)));
  }
  const record = finding('spec.replicas');
  const soak = [
    head('1/1'),
    entry('1/1', { line: 'begun', batch: 0 }),
    entry('1/1', {
      line: 'finding',
      batch: 0,
      record: {
        ...record,
        counterexample: { ...record.counterexample, target: TARGETS['program'] ?? record.counterexample.target },
      },
    }),
    entry('1/1', { line: 'batch', batch: 0, result: batchResult() }),
    entry('1/1', { line: 'ended' }),
  ];
  put('project/soak.jsonl', soak.map(({ line }) => `${encodeSoakLine(line)}\n`).join(''));
  put('project/audit.log', `${JSON.stringify(AUDITED)}\n`);
  const [home, temporary, results] = ['home', 'tmp', 'results.json'].map((name) => join(folder, name));
  mkdirSync(temporary ?? '');
  const { status, stdout, stderr } = spawnSync(process.execPath, [OBSERVER, results ?? '', JSON.stringify(LINES)], {
    cwd: join(folder, 'project'),
    env: {
      PATH: process.env['PATH'],
      NO_COLOR: '1',
      HOME: home,
      TMPDIR: temporary,
      KUBECONFIG: join(folder, 'home/.kube/config'),
    },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the observer ended with ${status}:\n${stdout}${stderr}`);
  observed = JSON.parse(readFileSync(results ?? '', 'utf8')) as readonly Observed[];
  // It runs eighteen commands, possibly on a busy machine.
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NOTHING: Omit<Observed, 'code'> = { programs: [], connections: [], workers: 0, opened: [], written: [] };

/** Returns what was observed for each command line of a command. */
function doneBy(command: string): readonly Observed[] {
  return observed.filter((_, index) => LINES[index]?.[0] === command);
}

describe('in a project of a stranger', () => {
  it('nothing that a file names is started or imported', () => {
    expect(existsSync(join(folder, 'project', 'was-here'))).toBe(false);
    expect(observed.filter(({ workers }) => workers > 0)).toEqual([]);
  });

  it('report, recheck and merge start nothing, reach nothing, and write pages into the folder that is named', () => {
    expect(doneBy('report')).toEqual([
      { ...NOTHING, code: 0, written: ['project/reports/module.html', 'project/reports/program.html'] },
      { ...NOTHING, code: 0, written: ['project/page.html'] },
    ]);
    for (const one of doneBy('recheck')) expect(one).toEqual({ ...NOTHING, code: 3 });
    const [{ written, ...rest } = { ...NOTHING, code: 0 }] = doneBy('merge');
    expect({ ...rest, written: [] }).toEqual({ ...NOTHING, code: 1 });
    expect(written.filter((file) => !file.startsWith('project/merged/'))).toEqual([]);
    expect(written).not.toEqual([]);
  });

  it('record reads an audit log, and writes its recording alone', () => {
    expect(doneBy('record')).toEqual([{ ...NOTHING, code: 0, written: ['project/recording.json'] }]);
  });

  it('corpus lists, explains, keeps and removes entries, and no other file', () => {
    const corpus = 'project/.stalemate/corpus';
    const [list, explain, promote, prune] = doneBy('corpus');

    expect([list, explain]).toEqual([
      { ...NOTHING, code: 0 },
      { ...NOTHING, code: 0 },
    ]);
    expect({ ...promote, written: [] }).toEqual({ ...NOTHING, code: 0 });
    expect(promote?.written.filter((file) => dirname(file) !== corpus)).toEqual([]);
    expect(prune).toEqual({ ...NOTHING, code: 0, written: [`${corpus}/program.json`] });
  });

  it('init --dry-run asks the interpreter of the system alone, and writes nothing', () => {
    const [{ programs, ...rest } = { ...NOTHING, code: 0 }] = doneBy('init');

    expect({ ...rest, programs: [] }).toEqual({ ...NOTHING, code: 0 });
    expect(programs.filter((program) => program !== 'python3')).toEqual([]);
  });

  it('doctor asks tools of the machine for their versions, reaches loopback alone, and leaves nothing', () => {
    expect(doneBy('doctor')).toHaveLength(3);
    for (const { programs, connections, opened, ...rest } of doneBy('doctor')) {
      expect(rest).toEqual({ code: 0, workers: 0, written: [] });
      expect(programs.filter((program) => program.includes(folder) || program === 'sh')).toEqual([]);
      expect(connections.filter((host) => host !== '127.0.0.1')).toEqual([]);
      expect(opened.filter((file) => !file.startsWith('home/.local/state/stalemate/'))).toEqual([]);
    }
  });

  it('list, completion and clean start nothing, reach nothing and write nothing', () => {
    for (const command of ['list', 'completion', 'clean']) expect(doneBy(command)).toEqual([{ ...NOTHING, code: 0 }]);
  });

  it('serve starts and reaches nothing by itself, and writes what it is told and its own note', () => {
    const [{ opened, ...rest } = { ...NOTHING, code: 0 }] = doneBy('serve');

    expect({ ...rest, opened: [] }).toEqual({ ...NOTHING, code: 0, written: ['project/kubeconfig'] });
    expect(opened.filter((file) => !file.startsWith('home/.local/state/stalemate/served/'))).toEqual([]);
  });
});
