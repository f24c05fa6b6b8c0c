/** Writes the text of the configuration file for `init`: the detected options and, commented out, further ones that users often need. */
import { stringify } from 'yaml';
import type { StalemateOptions } from '../../execution/config/options.ts';
import { given } from '../../model/given.ts';

export interface ConfigFacts {
  readonly options: StalemateOptions;
  /** The command that builds the program; empty if there is nothing to build. */
  readonly build: string;
  /** Suggested claims about the project's own kind. */
  readonly claims: Pick<StalemateOptions, 'always' | 'eventually' | 'sometimes'>;
  /** A kustomization that could be installed as a whole, but is not enabled. */
  readonly manifests: string | undefined;
  readonly elects: boolean;
}

const HEAD = 'What `stalemate run` does in this folder. Flags win over it; `stalemate run --help` explains both.';

/** @param schema - The path or URL of the JSON Schema for editors. */
export function yamlConfig(facts: ConfigFacts, schema: string): string {
  const lines = [`# yaml-language-server: $schema=${schema}`, `# ${HEAD}`];
  for (const { about, options } of sections(facts))
    lines.push('', `# ${about}`, stringify(options, { lineWidth: 0 }).trimEnd());
  lines.push('', '# What else there is: take away the #.');
  for (const { about, options } of offers(facts)) {
    const text = stringify(options, { lineWidth: 0, flowCollectionPadding: true }).trimEnd();
    lines.push('', `# ${about}`, ...text.split('\n').map((line) => `#${line}`));
  }
  return `${lines.join('\n')}\n`;
}

/** Returns the same configuration in TypeScript, with types if stalemate is a dependency of the project. */
export function typescriptConfig(facts: ConfigFacts, typed: boolean): string {
  const lines = [
    ...(typed ? ["import { defineConfig } from 'stalemate';", ''] : []),
    `// ${HEAD}`,
    typed ? 'export default defineConfig({' : 'export default {',
  ];
  for (const { about, options } of sections(facts)) lines.push(`  // ${about}`, ...fields(options, '  '));
  lines.push('', '  // What else there is: take away the //.');
  for (const { about, options } of offers(facts)) lines.push('', `  // ${about}`, ...fields(options, '  //'));
  lines.push(typed ? '});' : '};');
  return `${lines.join('\n')}\n`;
}

function fields(options: StalemateOptions, indent: string): readonly string[] {
  return Object.entries(options).map(([name, value]) => `${indent}${name}: ${literal(value)},`);
}

function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = Object.entries(value).map(
    ([name, of]) => `${/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`}: ${literal(of)}`,
  );
  return `{ ${inner.join(', ')} }`;
}

interface Section {
  readonly about: string;
  readonly options: StalemateOptions;
}

function sections({ options, build }: ConfigFacts): readonly Section[] {
  const { target, command, env, metrics, readyWithinMs, manifests, crds, samples, budget } = options;
  const buildText = build === '' ? '' : ` \`${build}\` makes it.`;
  return [
    ...(target === undefined ? [] : [{ about: 'The module that starts the controller.', options: { target } }]),
    ...(command === undefined
      ? []
      : [
          {
            about: `The controller, started again for each run; {kubeconfig}, {namespace} and {port:NAME} are replaced.${buildText}`,
            options: {
              command,
              ...given({ env, readyWithinMs, metrics }),
            },
          },
        ]),
    ...(manifests === undefined
      ? []
      : [
          {
            about: 'What the project ships: roles are enforced, the controller acts as its service account.',
            options: { manifests },
          },
        ]),
    ...(crds === undefined || crds.length === 0
      ? []
      : [{ about: 'Definitions: files or folders.', options: { crds } }]),
    {
      about: 'What a user would apply. Writers change the same objects while the controller works.',
      options: { samples: samples ?? [] },
    },
    { about: 'How long one search takes.', options: { budget: budget ?? '60s' } },
  ];
}

function offers({ options, manifests, claims, elects }: ConfigFacts): readonly Section[] {
  return [
    ...(manifests === undefined || options.manifests !== undefined
      ? []
      : [
          {
            about: 'Roles, service account and webhooks as the project ships them (kubectl renders it).',
            options: { manifests: [manifests] },
          },
        ]),
    ...(elects || options.target !== undefined
      ? [
          {
            about: `A second copy may run beside the first: it elects a leader${options.command === undefined ? '.' : ', once the flag for that (often --leader-elect) is in its command.'}`,
            options: { leaderElection: true },
          },
        ]
      : []),
    {
      about:
        'Claims of your own, in CEL: of every version, of the state at rest, and of what has to be reached at least once.',
      options: claims,
    },
    ...(options.command === undefined || options.env !== undefined
      ? []
      : [
          {
            about:
              'Variables of the program. Where its runs take real time ("stalemate doctor"), let it poll and try again as often as it can.',
            options: { env: { POLL_SECONDS: '0.5' } },
          },
        ]),
    {
      about: 'What the controller is not meant to survive ("stalemate list writers", "stalemate list faults").',
      options: { writers: { deleter: false }, faults: { crash: false } },
    },
    {
      about: 'Fields that it shares with other writers by agreement.',
      options: { coOwned: [{ kind: 'deployments.apps', field: 'spec.replicas' }] },
    },
    { about: 'What answers the API: embedded (default), envtest, kind or existing.', options: { cluster: 'envtest' } },
  ];
}
