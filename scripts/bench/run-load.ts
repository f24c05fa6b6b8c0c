/** One load on one server, made by a process of its own: whoever measures must not share a processor's time with the load. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { LoadJob, LoadResult } from './http-jobs.ts';

const LOAD = fileURLToPath(new URL('./http-load.ts', import.meta.url));

/** What a load needs to be told; the rest has values that do nothing. */
export type Load = Partial<LoadJob> & Pick<LoadJob, 'url' | 'token' | 'connections' | 'seconds'>;

export interface LoadOutcome {
  readonly result: LoadResult;
  /** What was answered with 300 or more, as one line; undefined when nothing was. */
  readonly refused: string | undefined;
}

export async function runLoad(load: Load): Promise<LoadOutcome> {
  const whole: LoadJob = {
    method: 'GET',
    path: '/',
    contentType: '',
    body: '',
    from: 0,
    modulo: Number.MAX_SAFE_INTEGER,
    countMax: Number.MAX_SAFE_INTEGER,
    watchers: 0,
    watch: '',
    list: '',
    ...load,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [LOAD, JSON.stringify(whole)]);
  const result = JSON.parse(stdout) as LoadResult;
  const failed = Object.keys(result.codes).some((code) => Number(code) >= 300);
  const refused = failed ? `${whole.method} ${whole.path} on ${whole.url}: ${JSON.stringify(result.codes)}` : undefined;
  return { result, refused };
}
