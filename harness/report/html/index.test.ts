import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../model/finding.ts';
import { deployment, findingOf, HistoryScript, lostUpdate, undisturbed } from '../test-findings.ts';
import { pageScript } from './assets.ts';
import { findingPage } from './index.ts';
import { makeReport } from './make-document.ts';

/** Returns the document that a program would extract from the page. */
function dataOf(page: string): unknown {
  const text = /<script type="application\/json" id="report-data">([\s\S]*?)<\/script>/.exec(page)?.[1] ?? '';
  return JSON.parse(text);
}

describe('the report document', () => {
  const report = makeReport(lostUpdate(), { counterexample: 'f.json', record: 'r.json' });

  it('tells of each version who wrote it, made of what, and what was meant', () => {
    expect(report.chains).toMatchObject([
      {
        object: 'deployments/web',
        field: 'spec.replicas',
        versions: [
          { revision: 101, actor: 'user', intent: 'created', value: '3' },
          { revision: 102, actor: 'writer-1', base: 101, under: 101, intent: 'meant', value: '5', role: 'victim' },
          { revision: 103, actor: 'controller', base: 101, under: 102, intent: 'reverted', value: '3', role: 'guilty' },
        ],
      },
    ]);
  });

  it('says at the guilty row how old its content is', () => {
    const guilty = report.story.rows.find((row) => row.row === 'operation' && row.guilty);

    expect(guilty).toMatchObject({ base: 'content of version 101, under version 102: 1 version old' });
  });

  it('holds what the server had and what the controller had been told', () => {
    const [view] = report.views;

    expect(view?.live.map(({ revision, values }) => [revision, values[0]])).toEqual([
      [101, '3'],
      [102, '5'],
      [103, '3'],
    ]);
    const told = view?.caches.filter(({ actor }) => actor === 'controller');
    expect(told?.map(({ via, told }) => [via, told.map(({ revision }) => revision)])).toEqual([
      ['watch', [101]],
      ['answers', [102, 103]],
    ]);
  });

  it('sets the run that passes beside it, from where they part to how they end', () => {
    const { neighbour } = makeReport({ ...lostUpdate(), neighbour: undisturbed() });

    expect(neighbour?.rows).toMatchObject([
      { actor: 'controller', same: false, parts: true, passing: { answer: '102' }, moved: 'later' },
      { actor: 'writer-1', same: true },
      { actor: 'writer-1', same: true, failing: { answer: '102 replicas=5' }, passing: { answer: '103 replicas=5' } },
      { actor: 'controller', failing: { answer: '409 Conflict' }, moved: 'earlier' },
      { actor: 'controller', failing: { request: 'GET ➜ 102 replicas=5' } },
      { actor: 'controller', failing: { guilty: true } },
    ]);
    expect(neighbour?.rows.filter((row) => row.row === 'step' && row.parts)).toHaveLength(1);
    expect(neighbour?.ends).toEqual([{ object: 'deployments/web', failing: '3', passing: '5' }]);
  });

  it('derives the guilty write from the read that gave it its version, and that from the foreign write', () => {
    const { events } = report;
    const text = (row: number): string => events.texts[events.text[row] ?? -1] ?? '';
    const guilty = events.at.findIndex((_, row) => text(row).includes('▶ 103'));
    const [read = -1] = events.causes[guilty] ?? [];
    const [write = -1] = events.causes[read] ?? [];

    expect([text(read), text(write)]).toEqual([
      'GET deployments/web ➜ 102 replicas=5',
      'PUT deployments/web 101 replicas=5 ▶ 102 replicas=5',
    ]);
  });

  it('names commands that a shell takes as they are', () => {
    const odd = makeReport(lostUpdate(), { counterexample: "it's here/f.json" });

    expect(odd.reproduce.map(({ command }) => command)).toEqual([
      String.raw`npx stalemate replay 'it'\''s here/f.json'`,
    ]);
  });
});

describe('the page', () => {
  it('holds the document, unchanged', () => {
    const finding = lostUpdate();

    expect(dataOf(findingPage(finding))).toEqual(makeReport(finding));
  });

  it('names its own script and nothing else as what may run', () => {
    const page = findingPage(lostUpdate());
    const script = /<script type="module">([\s\S]*?)<\/script>/.exec(page)?.[1] ?? '';
    const digest = createHash('sha256').update(script).digest('base64');

    expect(page).toContain('default-src &#39;none&#39;');
    expect(page).toContain(`script-src &#39;sha256-${digest}&#39;`);
    expect(page).not.toMatch(/(?:src|href)="https?:|url\(["']?https?:|@import url|\sstyle="|\son\w+="/);
  });

  it('has a script without imports, that parses', () => {
    const script = pageScript();

    expect(script).not.toMatch(/^\s*(?:import|export)\b/m);
    expect(() => new Script(script)).not.toThrow();
  });

  it('keeps hostile text what it is', () => {
    const hostile = '</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>\u202e';
    const page = findingPage(hostileFinding(hostile));

    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page.match(/<\/script>/g)).toHaveLength(2);
    expect(page).not.toContain('<img');
    expect(page).not.toContain('<!--');
    expect(JSON.stringify(dataOf(page))).toContain('onerror=alert(2)');
  });

  it('is far below a megabyte for a usual finding', () => {
    expect(findingPage(lostUpdate()).length).toBeLessThan(100_000);
  });
});

/** Returns a finding with this text in every place that a user or target controls. */
function hostileFinding(text: string): Finding {
  const script = new HistoryScript();
  const object = deployment(101, text, 3);
  const annotated = { ...object, metadata: { ...object.metadata, annotations: { [text]: text } } };
  script.contention();
  const made = script.call({
    actor: 'controller',
    verb: 'create',
    resource: 'deployments.apps',
    name: 'web',
    body: annotated,
    made: annotated,
    outcome: { type: 'ok', code: 201, object: annotated },
  });
  script.process('controller', 'unhandled', text);
  return findingOf(script.history({ missed: [text], logs: [{ actor: 'controller', line: text, at: 2, timeMs: 0 }] }), {
    signature: { property: 'survival', class: text, actors: ['target'], kind: text, field: text },
    sentence: text,
    operations: [made.id],
  });
}
