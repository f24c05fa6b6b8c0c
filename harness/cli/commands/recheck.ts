/** `stalemate recheck`: judges stored histories with the current properties, without running anything. */
import { readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { ownProperties } from '../../execution/config/options.ts';
import { signatureText } from '../../model/signature.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import type { CheckReport } from '../../model/finding.ts';
import { holdsSecrets, redactConfigured } from '../../report/redaction/index.ts';
import { Vault } from '../../report/redaction/vault.ts';
import { kindOf, parseJson } from '../../schedule/codec/format.ts';
import { decodeRecord } from '../../schedule/codec/record.ts';
import { decodeRecording } from '../../schedule/codec/recording.ts';
import { usage } from '../arguments.ts';
import type { RecordingResult } from '../library.ts';
import { readConfig } from '../configured.ts';
import type { CommandContext } from '../command-context.ts';
import { readText } from '../read-text.ts';
import { recordBeside } from '../record-beside.ts';

interface RecheckFlags {
  readonly config?: string;
  readonly json?: boolean;
}

type Judgement = 'violated' | 'holds' | 'not exercised' | 'inconclusive';

interface Row {
  readonly file: string;
  readonly signature: string;
  readonly result: Judgement;
  readonly sentence: string;
}

const HELP = `
A record holds the history of a finding. Rechecking it after a change of a property shows whether the property still finds it. Of a
counterexample, the record next to it is judged.
Of a recording (stalemate record) every property is judged, except for those that need reference runs of the controller;
"not exercised" are those that nothing in it could have broken.
Exit codes: 1 a property still finds the violation in at least one, 0 in none, 3 a property cannot decide any more.

Example:
  stalemate recheck .stalemate/records`;

export function recheckCommand(context: CommandContext): Command {
  return new Command('recheck')
    .description('Judge stored histories again, without running anything.')
    .argument('<path>', 'a record or a recording, or a folder of them')
    .option('--config <file>', 'configuration file with properties of your own')
    .option('--json', 'print the results as JSON on stdout')
    .addHelpText('after', HELP)
    .action(async (path: string, flags: RecheckFlags) => {
      context.finish(await recheckPath(path, flags, context));
    });
}

async function recheckPath(path: string, flags: RecheckFlags, { console }: CommandContext): Promise<ExitCode> {
  const { recheck, judgeRecording } = await import('../library.ts');
  const own = ownProperties((await readConfig(flags.config, console.cwd)).options);
  const rows = recordFiles(path).flatMap((given): readonly Row[] => {
    const beside = recordBeside(resolve(console.cwd, given), 'judged is its record', console);
    const file = beside === resolve(console.cwd, given) ? given : relative(console.cwd, beside);
    const text = readText(file, 'record');
    if (kindOf(parseJson(text, file, 'record')) === 'recording')
      return redactedRows(
        judgeRecording(decodeRecording(text, file), own).map((result) => ({ file, ...rowOf(result) })),
        text,
      );
    const record = decodeRecord(text, file);
    const { signature } = record.counterexample;
    const report = recheck(record, own);
    return redactedRows(
      [{ file, signature: signatureText(signature), ...judgementOf(report, signature.property) }],
      text,
    );
  });
  if (flags.json === true) console.out(`${JSON.stringify({ version: 1, records: rows }, null, 2)}\n`);
  else for (const row of rows) console.out(`${row.result.padEnd(13)} ${row.file}\n              ${row.sentence}\n`);
  if (rows.some(({ result }) => result === 'violated')) return EXIT.violated;
  return rows.some(({ result }) => result === 'inconclusive') ? EXIT.inconclusive : EXIT.holds;
}

/** Redacts the results: records of earlier versions, and sentences of the user's own properties, may contain secrets. */
function redactedRows(rows: readonly Row[], text: string): readonly Row[] {
  const record: unknown = JSON.parse(text);
  return redactConfigured(rows, holdsSecrets(record) ? record : {}, new Vault());
}

function judgementOf(report: CheckReport, property: string): { readonly result: Judgement; readonly sentence: string } {
  if (report.violation !== undefined) return { result: 'violated', sentence: report.violation.sentence };
  const own = report.results.find((one) => one.property === property)?.result;
  if (own === undefined) return { result: 'inconclusive', sentence: `property "${property}" is not in the catalogue` };
  if (own.result === 'inconclusive') return { result: 'inconclusive', sentence: own.reason };
  return { result: 'holds', sentence: `${property} no longer finds this violation` };
}

/** Returns the row for a property's result on a recording. Unlike a record, a recording is not about a certain violation. */
function rowOf({ property, result, exercised }: RecordingResult): Omit<Row, 'file'> {
  switch (result.result) {
    case 'violated': {
      const [first] = result.violations;
      const signature = first === undefined ? property : signatureText(first.signature);
      return { signature, result: 'violated', sentence: first?.sentence ?? property };
    }
    case 'inconclusive':
      return { signature: property, result: 'inconclusive', sentence: `${property}: ${result.reason}` };
    case 'holds':
      if (exercised) return { signature: property, result: 'holds', sentence: property };
      return {
        signature: property,
        result: 'not exercised',
        sentence: `${property}: nothing in the recording could have broken it`,
      };
  }
}

function recordFiles(path: string): readonly string[] {
  let folder: boolean;
  try {
    folder = statSync(path).isDirectory();
  } catch {
    throw usage(`"${path}" does not exist, expected a record or a folder of records`);
  }
  if (!folder) return [path];
  const files = readdirSync(path)
    .filter((name) => name.endsWith('.json'))
    .sort();
  if (files.length === 0)
    throw usage(`"${path}" holds no .json file, expected records; they are written to DIR/records`);
  return files.map((name) => join(path, name));
}
