/**
 * Plans the files that `init` writes, as data: paths and texts.
 *
 * Owns: which files there are, and what happens to existing ones. Does not own: their texts (`config-text.ts`, `ci-text.ts`),
 * writing. Start at {@link makePlan}.
 */
import type { StalemateOptions } from '../../execution/config/options.ts';
import { claimsFor } from './claims.ts';
import { ciFile } from './ci-text.ts';
import { typescriptConfig, yamlConfig, type ConfigFacts } from './config-text.ts';
import { installText } from './programs/node.ts';
import { has, type Repository } from './repository.ts';
import type { CiKind, Survey } from './survey.ts';

export interface PlannedFile {
  readonly path: string;
  /** For `extend`, the text to append. */
  readonly text: string;
  readonly does: 'write' | 'replace' | 'keep' | 'extend';
}

export interface Plan {
  readonly files: readonly PlannedFile[];
  /** Steps that are left to the user. */
  readonly notes: readonly string[];
}

export interface PlanChoices {
  readonly options: StalemateOptions;
  readonly ci: CiKind;
  /** Reports whether an existing file may be overwritten. */
  readonly mayReplace: (path: string) => boolean;
  /** The existing configuration, if it may be replaced. */
  readonly configFile: string | undefined;
  /** Whether stalemate is a dependency of the project. */
  readonly installed: boolean;
  /** The JSON Schema of the configuration. */
  readonly schema: string;
  /** Path of the schema in the installed dependency; undefined if it is not installed. */
  readonly schemaInstalled: string | undefined;
  /** The kustomization, if its rendered objects may be used. */
  readonly manifests: string | undefined;
  /** An overlay rendered without its remote bases, to be written to a file. */
  readonly rendered?: string;
}

export const SAMPLE_FILE = 'stalemate.sample.yaml';
/** The file for a project's rendered manifests, if its overlay cannot be rendered as it is. */
export const MANIFESTS_FILE = 'stalemate.manifests.yaml';
const SCHEMA_COPY = '.stalemate/config.schema.json';

export function makePlan(repository: Repository, found: Survey, choices: PlanChoices): Plan {
  const { program, samples, definitions } = found;
  const { installed, mayReplace } = choices;
  const facts: ConfigFacts = {
    options: choices.options,
    build: program?.build?.join(' ') ?? '',
    claims: claimsFor(definitions.crds[0]),
    manifests: choices.manifests,
    elects: program?.elects ?? false,
  };
  const prepare = [
    ...(program?.needs === undefined ? [] : [program.needs.get]),
    ...(program?.build === undefined ? [] : [program.build.join(' ')]),
  ];
  // A project in another language installs stalemate separately.
  const install = installed && program?.setUp !== 'node' ? [installText(repository)] : [];
  const ci = ciFile(choices.ci, { setUp: program?.setUp, prepare: [...install, ...prepare], installed }, (path) =>
    has(repository, path),
  );
  const copied = choices.schemaInstalled === undefined && !isTypescript(choices, found);
  const wanted = [
    isTypescript(choices, found)
      ? { path: choices.configFile ?? 'stalemate.config.ts', text: typescriptConfig(facts, installed) }
      : {
          path: choices.configFile ?? 'stalemate.config.yaml',
          text: yamlConfig(facts, choices.schemaInstalled ?? `./${SCHEMA_COPY}`),
        },
    ...(samples.drawn === '' || choices.options.samples?.includes(SAMPLE_FILE) !== true
      ? []
      : [{ path: SAMPLE_FILE, text: `${samples.drawnKinds.length > 0 ? SAMPLE_HEAD : ''}${samples.drawn}` }]),
    ...(choices.rendered === undefined ? [] : [{ path: MANIFESTS_FILE, text: choices.rendered }]),
    ...(ci === undefined ? [] : [{ path: ci.path, text: ci.text }]),
  ];
  const files: readonly PlannedFile[] = wanted.map((file) => ({
    ...file,
    does: !has(repository, file.path) ? 'write' : mayReplace(file.path) ? 'replace' : 'keep',
  }));
  // An existing copy is ours and may be of another version, so it is replaced.
  const schema: readonly PlannedFile[] = copied
    ? [{ path: SCHEMA_COPY, text: choices.schema, does: has(repository, SCHEMA_COPY) ? 'replace' : 'write' }]
    : [];
  const kept = [
    ...(copied ? [SCHEMA_COPY] : []),
    ...(choices.options.crds?.some((path) => path.startsWith('.stalemate/crds/')) === true ? ['.stalemate/crds/'] : []),
  ];
  return {
    files: [
      ...files,
      ...schema,
      ...ignoreFile(repository, [...IGNORED, ...kept.map((path) => `!${path}`), ...(program?.ignored ?? [])]),
    ],
    notes: files.some(({ path, does }) => path === ci?.path && does !== 'keep') ? (ci?.notes ?? []) : [],
  };
}

const SAMPLE_HEAD = `# Drawn from the schema, for want of a sample in the project: make it what a user would apply.
# Counts, switches and choices in it are what writers change.
`;

/** Lines for .gitignore: the corpus and the baseline are committed; everything else belongs to one machine and run. */
const IGNORED = ['.stalemate/*', '!.stalemate/corpus/', '!.stalemate/baseline.json'];

function isTypescript({ configFile, installed }: PlanChoices, { program }: Survey): boolean {
  if (configFile !== undefined) return /\.[mc]?[jt]s$/.test(configFile);
  return program?.setUp === 'node' && installed;
}

const HEAD = '# stalemate';

function ignoreFile(repository: Repository, lines: readonly string[]): readonly PlannedFile[] {
  const before = repository.text('.gitignore');
  const existing = new Set(before.split('\n').map((line) => line.trim()));
  const missing = lines.filter((line) => !existing.has(line));
  if (missing.length === 0) return [];
  const gap = before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  return [
    {
      path: '.gitignore',
      text: `${existing.has(HEAD) ? gap.slice(1) : `${gap}${HEAD}\n`}${missing.join('\n')}\n`,
      does: has(repository, '.gitignore') ? 'extend' : 'write',
    },
  ];
}
