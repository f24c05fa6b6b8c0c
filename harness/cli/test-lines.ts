/**
 * Runs command lines one after the other in one process, for tests: starting one for each takes longer than most refusals.
 *
 * Reads the lines as JSON from standard input, and writes their results as JSON to standard output.
 */
import { readFileSync } from 'node:fs';
import { main } from './main.ts';
import type { BinResult } from './test-bin.ts';

// Each command adds its own.
process.setMaxListeners(0);
const write = process.stdout.write.bind(process.stdout);
const results: BinResult[] = [];
for (const args of JSON.parse(readFileSync(0, 'utf8')) as readonly (readonly string[])[]) {
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text: string | Uint8Array): boolean => {
      said[name] += typeof text === 'string' ? text : Buffer.from(text).toString();
      return true;
    };
  }
  results.push({ code: await main(args), ...said });
}
write(JSON.stringify(results), () => process.exit(0));
