/** Runs one load on one server. The load is a separate process, because the measuring process must not share a thread with it. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { LoadJob, LoadResult } from './http-jobs.ts';

const LOAD = fileURLToPath(new URL('./http-load.ts', import.meta.url));

/** The required fields of a load; all other fields have defaults. */
export type Load = Partial<LoadJob> & Pick<LoadJob, 'url' | 'token' | 'connections' | 'seconds'>;

export interface LoadOutcome {
  readonly result: LoadResult;
  /** The request and its response codes in one line, if any code was 300 or higher; otherwise undefined. */
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
