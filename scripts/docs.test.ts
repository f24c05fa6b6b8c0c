import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { loadConfigFile } from '../harness/execution/config/config-file.ts';
import { decodeRecord, recheck, renderStory, tellStory } from '../harness/index.ts';
import type { FindingStats } from '../harness/index.ts';
import { REPOSITORY_ROOT, repositoryFiles } from './repository-files.ts';

const documents = repositoryFiles().filter(({ path }) => path.endsWith('.md'));
const inRepository = (path: string): boolean => existsSync(join(REPOSITORY_ROOT, path));

/** Returns the fenced blocks of one language. */
function blocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? '');
}

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

/** Returns the anchor that GitHub and most other renderers create for a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

describe.each(documents)('$path', ({ path, text }) => {
  it('links to files that exist', () => {
    const targets = matches(text, /\]\((?!https?:|#)([^)#]+)/g);

    expect(targets.filter((target) => !inRepository(join(dirname(path), target)))).toEqual([]);
  });

  it('links to headings that exist', () => {
    const targets = [...text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)].map(([, file = '', anchor = '']) => ({
      file: file === '' ? path : join(dirname(path), file),
      anchor,
    }));
    const missing = targets.filter(({ file, anchor }) => {
      const page = documents.find((document) => document.path === file)?.text;
      return (
        page !== undefined &&
        !matches(page, /^#+ (.+)$/gm)
          .map(anchorOf)
          .includes(anchor)
      );
    });

    expect(missing).toEqual([]);
  });

  it('names source files that exist', () => {
    const named = matches(text, /`((?:harness|scripts|properties|controllers-under-test|ci|docs)\/[\w./-]+\.\w+)`/g);

    expect(named.filter((name) => !inRepository(name))).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const scripts = Object.keys(
      (JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'package.json'), 'utf8')) as { scripts: object }).scripts,
    );

    expect(matches(text, /npm run ([\w:-]+)/g).filter((name) => !scripts.includes(name))).toEqual([]);
  });

  it('shows TypeScript that parses', () => {
    expect(blocks(text, 'ts').flatMap((block) => parseSync('block.ts', block).errors)).toEqual([]);
  });
});

describe('the map of the code', () => {
  const map = readFileSync(join(REPOSITORY_ROOT, 'harness/README.md'), 'utf8');

  it('has one row for each folder', () => {
    const rows = matches(map.slice(0, map.indexOf('## The life')), /^\| `([a-z]+)` \|/gm);
    const folders = readdirSync(join(REPOSITORY_ROOT, 'harness'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'test')
      .map((entry) => entry.name);

    expect(rows.toSorted()).toEqual(folders.toSorted());
  });

  const TABLE = /^\| in `([a-z]+)\/` \| \|\n((?:\|.*\n)+)/gm;
  const parts = [...map.matchAll(TABLE)].map(([, folder = '', rows = '']) => ({
    folder,
    named: matches(rows, /`([\w./-]+)`/g),
  }));

  it.each(parts)('has each folder below $folder, and none that does not exist', ({ folder, named }) => {
    const path = join(REPOSITORY_ROOT, 'harness', folder);
    const below = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const isThere = (name: string): boolean => [path, join(path, '..')].some((at) => existsSync(join(at, name)));

    expect(below.map(({ name }) => `${name}/`).filter((name) => !named.includes(name))).toEqual([]);
    expect(named.filter((name) => /[./]/.test(name) && !isThere(name))).toEqual([]);
  });

  it('names files of the harness that exist', () => {
    const named = matches(map.replaceAll(TABLE, ''), /`((?:[a-z]+\/)+[\w-]+\.ts)`/g).filter(
      (name) => !inRepository(name),
    );

    expect(named.filter((name) => !inRepository(`harness/${name}`))).toEqual([]);
  });
});

it.each(['README.md', 'docs/reading-a-counterexample.md'])('shows in %s what the terminal prints', (path) => {
  const page = readFileSync(join(REPOSITORY_ROOT, path), 'utf8');
  const shown = /<!-- counterexample:begin -->\n```\n([\s\S]*?)```\n<!-- counterexample:end -->/.exec(page)?.[1];

  // A real finding, stored with its record: `npx stalemate run` on the variant refreshes-version-only, seed 11.
  const example = (name: string): string => readFileSync(join(REPOSITORY_ROOT, 'docs/examples', name), 'utf8');
  const record = decodeRecord(example('lost-update.record.json'), 'lost-update.record.json');
  const { violation } = recheck(record);
  if (violation === undefined) throw new Error('the record no longer shows what the README describes');
  const stats = JSON.parse(example('lost-update.stats.json')) as FindingStats;
  const story = tellStory({ violation, counterexample: record.counterexample, record: record.history, stats });
  const replay = 'npx stalemate replay .stalemate/failures/lost-update-9669dc.json';
  expect(shown).toBe(renderStory(story, { width: 100, color: false, replay }));
});

it('shows a valid configuration in the README', async () => {
  const readme = readFileSync(join(REPOSITORY_ROOT, 'README.md'), 'utf8');
  const block = blocks(readme, 'ts').find((text) => text.startsWith('// stalemate.config.ts')) ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'stalemate-readme-'));
  try {
    const library = pathToFileURL(join(REPOSITORY_ROOT, 'harness/execution/config/options.ts')).href;
    writeFileSync(join(folder, 'stalemate.config.ts'), block.replace("'stalemate'", `'${library}'`));

    await expect(loadConfigFile(join(folder, 'stalemate.config.ts'))).resolves.toMatchObject({
      target: join(folder, 'stalemate.target.ts'),
      leaderElection: true,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('shows programs that type-check', { timeout: 300_000 }, () => {
  const programs = documents
    .filter(({ path }) => ['README.md', 'docs/library.md', 'docs/configuration.md'].includes(path))
    .flatMap(({ text }) => blocks(text, 'ts'))
    .filter((text) => /^import .* from 'stalemate(?:\/vitest)?'/m.test(text));
  const folder = mkdtempSync(join(tmpdir(), 'stalemate-readme-'));
  try {
    programs.forEach((text, index) => writeFileSync(join(folder, `block-${index}.ts`), text));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    symlinkSync(join(REPOSITORY_ROOT, 'node_modules'), join(folder, 'node_modules'));
    const compilerOptions = {
      paths: {
        stalemate: [join(REPOSITORY_ROOT, 'harness/index.ts')],
        'stalemate/vitest': [join(REPOSITORY_ROOT, 'harness/vitest.ts')],
      },
      typeRoots: [join(REPOSITORY_ROOT, 'node_modules/@types')],
      declaration: false,
      isolatedDeclarations: false,
    };
    const tsconfig = { extends: join(REPOSITORY_ROOT, 'tsconfig.json'), compilerOptions, include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));

    const compiler = join(REPOSITORY_ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });

    expect(programs.length).toBeGreaterThanOrEqual(3);
    expect(stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const GUIDES = [
  'configuration',
  'faq',
  'library',
  'manifests',
  'programs',
  'reading-a-counterexample',
  'recording',
  'serve',
];
const WITH_FLAGS = ['README.md', 'ci/README.md', 'ci/github/action.yml', ...GUIDES.map((name) => `docs/${name}.md`)];

it.each(WITH_FLAGS)('names only existing flags in %s', (path) => {
  const files = repositoryFiles();
  const commands = files.filter((file) => /^harness\/cli\/(?:commands\/|arguments\.ts)/.test(file.path));
  const scripts = files.filter((file) => /^scripts\/[\w-]+\.ts$/.test(file.path));
  const known = new Set([
    ...commands.flatMap(({ text }) => matches(text, /(?:\.option|\bchoice)\(\s*'(--[\w-]+)/g)),
    ...scripts.flatMap(({ text }) => matches(text, /^ +'?([\w-]+)'?: \{ type: '/gm)).map((name) => `--${name}`),
  ]);
  const others = ['--help', '--save-dev', '--no-install', '--rm', '--init', '--user'];

  // Flags of kubectl and of the user's own program are not ours.
  const text = readFileSync(join(REPOSITORY_ROOT, path), 'utf8').replace(/^kubectl .*$| -- \S+ .*$/gm, '');
  const named = matches(text, /(?<![\w-])(--[a-z][\w-]*)/g);

  expect(named.filter((flag) => !known.has(flag) && !others.includes(flag))).toEqual([]);
});

it('numbers each decision once, and repeats the number in its title', () => {
  const decisions = documents.filter(({ path }) => /^docs\/decisions\/\d{4}-(?!template)/.test(path));
  const numbers = decisions.map(({ path }) => path.slice('docs/decisions/'.length).slice(0, 4));

  expect(new Set(numbers).size).toBe(numbers.length);
  const titled = decisions.filter(({ text }, index) => new RegExp(`^# 0*${Number(numbers[index])}[.:] `).test(text));
  expect(decisions.filter((one) => !titled.includes(one)).map(({ path }) => path)).toEqual([]);
});
