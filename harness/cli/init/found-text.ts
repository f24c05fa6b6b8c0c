/** Describes for users what `init` has detected and guessed, and what it writes. */
import type { StalemateOptions } from '../../execution/config/options.ts';
import { countText } from '../../report/count-text.ts';
import { wrapWithin } from '../../report/text-wrap.ts';
import type { Plan } from './plan.ts';
import type { Survey } from './survey.ts';

const INDENT = 8;

export function foundText(found: Survey, options: StalemateOptions, width: number): string {
  const { program, definitions, samples } = found;
  const command = options.command?.join(' ');
  const drawn = samples.drawnKinds.length > 0 && options.samples?.length === 1;
  return paragraphs(
    [
      ...(program === undefined ? [] : [['found', program.language] as const]),
      ...(command === undefined ? [] : [['', `started as ${command}`] as const]),
      ...(options.target === undefined ? [] : [['', `started by ${options.target}`] as const]),
      ['', `${countText(definitions.crds.length, 'CRD')}${inText(options.crds)}`],
      [
        '',
        drawn
          ? `no sample that can be used: ${samples.drawnKinds.join(', ')} drawn from the schema`
          : `${countText(options.samples?.length ?? 0, 'sample')}${inText(options.samples)}`,
      ],
      ...(options.manifests === undefined
        ? []
        : [['', `roles and a service account in ${options.manifests.join(', ')}`] as const]),
      ...[...(program?.notes ?? []), ...definitions.notes, ...samples.notes].map((note) => ['note', note] as const),
    ],
    width,
  );
}

/** Lists the samples that were chosen by their effect. */
export function samplesText({ samples = [] }: StalemateOptions, width: number): string {
  return paragraphs([['chosen', samples.join(', ')]], width);
}

function inText(paths: readonly string[] = []): string {
  return paths.length === 0 ? '' : ` in ${paths.join(', ')}`;
}

export function planText({ files, notes }: Plan, width: number): string {
  return paragraphs(
    [
      ...files.map(
        ({ path, does }) => [does, does === 'keep' ? `${path} (it exists; --force overwrites it)` : path] as const,
      ),
      ...notes.map((note) => ['note', note] as const),
    ],
    width,
  );
}

/** Returns the files themselves, for `--dry-run`. */
export function filesText({ files }: Plan): string {
  return files
    .filter(({ does }) => does !== 'keep')
    .map(({ path, text }) => `\n--- ${path}\n${path.endsWith('.json') ? '(JSON Schema)\n' : text}`)
    .join('');
}

/** Formats paragraphs, each with a heading and, beside it, its wrapped text. */
export function paragraphs(lines: readonly (readonly [head: string, text: string])[], width: number): string {
  return lines
    .flatMap(([head, text]) =>
      wrapWithin(text, width - INDENT, 0, 9).map((line, at) => `${(at === 0 ? head : '').padEnd(INDENT)}${line}\n`),
    )
    .join('');
}
