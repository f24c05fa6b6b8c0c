import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { controllers as catalogue } from './catalogue.ts';

const HERE = import.meta.dirname;
const PROPERTIES = [
  'convergence',
  'no-lost-update',
  'bounded-rate',
  'cardinality',
  'truthful-status',
  'deletion-completes',
  'no-mistaken-deletion',
  'no-resurrection',
  'survival',
  'crash-equivalence',
  'one-active-leader',
  'idempotent-effects',
];
/** Folders without controllers of the catalogue. */
const OTHERS = ['lib', 'first-contact', 'harmless-edits', 'known-bugs', 'kubernetes', 'languages', 'pairs'];
/** Folders of controllers that run as processes. */
const LANGUAGES = ['go', 'java', 'python', 'rust'];
/** Subfolders of a controller that are not variants. */
const SHARED = ['common', 'src', 'target'];

/** The best-known mistakes of controllers: these variants must stay in the catalogue. */
const FIRST_GROUP = [
  'ignores-conflict',
  'retries-forever',
  'retries-stale-object',
  'refreshes-version-only',
  'clears-resource-version',
  'patches-list-blind',
  'status-on-main-resource',
  'updates-every-reconcile',
  'no-generation-predicate',
  'requeues-always',
  'mutates-cache',
  'ignores-not-found',
  'branches-on-event-type',
  'duplicates-on-stale-list',
];

const modules = catalogue.flatMap(({ module }) => module ?? []);
const processes = catalogue.filter(({ language }) => language !== undefined);

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

function foldersIn(path: string): readonly string[] {
  return readdirSync(join(HERE, path)).filter((name) => statSync(join(HERE, path, name)).isDirectory());
}

function read(path: string): string {
  return readFileSync(join(HERE, path), 'utf8');
}

const controllers = foldersIn('.').filter((name) => !OTHERS.includes(name));
const variants = controllers.flatMap((controller) =>
  foldersIn(controller)
    .filter((name) => !SHARED.includes(name))
    .map((variant) => `${controller}/${variant}`),
);
const edits = foldersIn('harmless-edits').flatMap((variant) =>
  foldersIn(`harmless-edits/${variant}`).map((edit) => `harmless-edits/${variant}/${edit}`),
);

/** All files of this repository that a module loads, itself included, and the packages that it imports. */
function closureOf(module: string): { readonly files: readonly string[]; readonly packages: readonly string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(/\bfrom '([^']+)'/g)) {
      if (specifier.startsWith('.')) visit(resolve(dirname(file), specifier));
      else packages.add(specifier);
    }
  };
  visit(join(HERE, module));
  return { files: [...files], packages: [...packages] };
}

/** The last cell of a variant's row in its README: the properties that fail, without those in brackets, which may fail as well. */
function propertiesInReadme(controller: string, variant: string): readonly string[] {
  const row = read(`${controller}/README.md`)
    .split('\n')
    .find((line) => line.startsWith(`| \`${variant}\` |`));
  const cell = row?.split('|').at(-2) ?? '';
  return cell.replace(/\(.*\)/, '').match(/[a-z-]+/g) ?? [];
}

it('lists exactly the variants that have a folder, each once', () => {
  expect(catalogue.map(({ controller, variant }) => `${controller}/${variant}`).sort()).toEqual([...variants].sort());
});

it('has a correct twin for every controller', () => {
  const correct = catalogue.filter(({ expected }) => expected === 'holds');

  expect(correct.map(({ controller }) => controller).sort()).toEqual([...controllers].sort());
  expect(new Set(correct.map(({ variant }) => variant))).toEqual(new Set(['correct']));
});

it('contains the first group of well-known mistakes', () => {
  expect(catalogue.map(({ variant }) => variant)).toEqual(expect.arrayContaining(FIRST_GROUP));
});

describe.each(catalogue)(
  '$controller/$variant',
  ({ controller, variant, module, language, crds, sample, expected }) => {
    it('names files that exist', () => {
      const missing = [module ?? controller, ...crds, sample, `${controller}/README.md`].filter(
        (path) => !existsSync(join(HERE, path)),
      );

      expect(missing).toEqual([]);
      expect(module ?? `a program in ${language}`).toBe(
        LANGUAGES.includes(controller) ? `a program in ${controller}` : `${controller}/${variant}/controller.ts`,
      );
    });

    it('has a sample of a kind that its definitions define', () => {
      const object = parse(read(sample)) as Manifest;
      const kinds = crds.flatMap((path) => {
        const { metadata, spec } = parse(read(path)) as Manifest;
        expect(metadata.name).toBe(`${spec.names.plural}.${spec.group}`);
        return spec.versions.map(({ name }) => `${spec.group}/${name} ${spec.names.kind}`);
      });

      expect(kinds).toContain(`${object.apiVersion} ${object.kind}`);
    });

    it('expects what its README says', () => {
      const caughtBy = typeof expected === 'string' ? [] : expected;

      expect(propertiesInReadme(controller, variant)).toEqual(caughtBy);
      expect(PROPERTIES).toEqual(expect.arrayContaining([...caughtBy]));
      expect(read(`${controller}/README.md`)).toContain('`correct/` keeps it');
    });
  },
);

describe.each(processes)('$controller/$variant, a process,', ({ variant, command = [], env = {} }) => {
  it('has a command that names its variant and only placeholders that are replaced', () => {
    expect(command[0]).toMatch(/^\{built\}\/|^[\w-]+$/);
    expect(command.slice(1).join(' ')).toContain(variant);
    for (const [, name] of [...command, ...Object.values(env)].join(' ').matchAll(/\{(.*?)\}/g))
      expect(['built', 'sources', 'kubeconfig', 'namespace', 'port']).toContain(name);
  });
});

describe.each([...modules, ...edits.map((edit) => `${edit}/controller.ts`)])('%s', (module) => {
  it('exports start as default', async () => {
    const loaded = (await import(/* @vite-ignore */ join(HERE, module))) as { readonly default: unknown };

    expect(loaded.default).toBeTypeOf('function');
  });

  it('knows client-node, Node and this folder, and nothing of the harness', () => {
    const { files, packages } = closureOf(module);

    for (const file of files) expect(relative(HERE, file)).not.toMatch(/^\.\./);
    for (const name of packages) expect(name).toMatch(/^(node:|@kubernetes\/client-node$)/);
  });
});

it('has the same harmless edits for each variant that has any', () => {
  const names = new Set(catalogue.map(({ variant }) => variant));
  const byVariant = foldersIn('harmless-edits').map((variant) => {
    expect(names).toContain(variant);
    return foldersIn(`harmless-edits/${variant}`);
  });

  expect(byVariant).toHaveLength(2);
  for (const list of byVariant) {
    expect([...list].sort()).toEqual(['added-read', 'extra-list', 'no-op-patch', 'swapped-reads']);
    for (const edit of list) expect(read('harmless-edits/README.md')).toContain(`| \`${edit}\` |`);
  }
});
