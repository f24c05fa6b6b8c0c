/**
 * Publishes the stored formats as JSON Schema files in docs/schemas, generated from the zod schemas that the code reads and writes with.
 * `npm run schemas` writes them; a test fails if they are out of date.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { configJsonSchema } from '../harness/execution/config/config-schema.ts';
import { properties, writers } from '../harness/cli/registry.ts';
import { runSchema } from '../harness/report/run/document-schema.ts';
import { summarySchema } from '../harness/report/summary.ts';
import { ANSWERS } from '../harness/schedule/codec/answers.ts';
import { BASELINE } from '../harness/schedule/codec/baseline.ts';
import { CORPUS_ENTRY } from '../harness/schedule/codec/corpus-entry.ts';
import { COUNTEREXAMPLE } from '../harness/schedule/codec/counterexample.ts';
import { HISTORY } from '../harness/schedule/codec/history.ts';
import { RECORD } from '../harness/schedule/codec/record.ts';
import { RECORDING } from '../harness/schedule/codec/recording.ts';
import { SCHEDULE } from '../harness/schedule/codec/schedule.ts';
import { SOAK_LINE } from '../harness/schedule/codec/soak-line.ts';
import { WORKLOAD } from '../harness/schedule/codec/workload.ts';

const FORMATS = [
  SCHEDULE,
  WORKLOAD,
  HISTORY,
  COUNTEREXAMPLE,
  CORPUS_ENTRY,
  BASELINE,
  RECORD,
  RECORDING,
  SOAK_LINE,
  ANSWERS,
] as const;

/** The texts of the files, by path relative to the root of the repository. */
export function schemaFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { kind, schema } of FORMATS) files.set(`docs/schemas/${kind}.schema.json`, schemaText(schema));
  files.set('docs/schemas/summary.schema.json', schemaText(summarySchema));
  files.set('docs/schemas/run.schema.json', schemaText(runSchema));
  files.set('docs/schemas/config.schema.json', `${JSON.stringify(configSchema(), null, 2)}\n`);
  return files;
}

function configSchema(): object {
  const source = readFileSync(new URL('../harness/execution/config/options.ts', import.meta.url), 'utf8');
  const findings = readFileSync(new URL('../harness/execution/config/config-findings.ts', import.meta.url), 'utf8');
  const names = { writers: writers.map(({ name }) => name), properties: properties.map(({ name }) => name) };
  return configJsonSchema(names, { ...optionComments(findings), ...optionComments(source) });
}

/** Returns the comments of options, which are indented by two spaces: editors show them. */
function optionComments(source: string): { readonly [option: string]: string } {
  const comments = source.matchAll(/^  \/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n  readonly (\w+)\?:/gm);
  return Object.fromEntries(
    [...comments].map(([, text = '', option]) => [option, text.replaceAll(/\s*\n\s*\* ?/g, ' ').trim()]),
  );
}

/** zod cannot describe free-form JSON, so it becomes a schema that allows anything. */
function schemaText(schema: z.ZodType): string {
  return `${JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' }), null, 2)}\n`;
}

if (import.meta.main) {
  for (const [path, text] of schemaFiles()) {
    const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
