/**
 * Measures what requests cost the embedded server in time and memory, with a server process of its own. Linux only: reads /proc.
 *
 * Owns: measuring, and keeping the slowest and the largest requests. Does not own: the requests (`costly.ts`). Start at {@link runCost}.
 */
import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import * as fc from 'fast-check';
import { realClearTimeout, realNow, realSetTimeout } from '../../clock.ts';
import type { FuzzRequest } from './client.ts';
import { costlyRequests } from './costly.ts';

/** The limits for one request: CPU time, and memory beyond the request and its answer. */
export const COST_MAX: { readonly ms: number; readonly bytes: number } = { ms: 1000, bytes: 64 * 1024 * 1024 };

/**
 * How long to wait for an answer. A server that has used some CPU in that time is only slow (a busy machine), so it gets the same time
 * again.
 */
const ANSWER_TIMEOUT_MS = 30_000;
/** The number of sequences after which a fresh server is started, so that stored objects do not count as a cost of later requests. */
const SEQUENCES = 15;
const PAGE_BYTES = 1024;
const TICK_MS = 10;

export interface CostServer {
  readonly child: ChildProcess;
  readonly port: number;
}

export interface Cost {
  readonly request: FuzzRequest;
  /** The status code; 0 without an answer. */
  readonly code: number;
  readonly answered: number;
  readonly ms: number;
  /** Memory beyond the request and its answer. */
  readonly bytes: number;
  /** Why there is no answer. */
  readonly failure?: string;
}

export interface CostResult {
  readonly requests: number;
  readonly unanswered: readonly Cost[];
  /** The slowest requests, the worst first. */
  readonly slowest: readonly Cost[];
  readonly largest: readonly Cost[];
  readonly codes: { readonly [code: string]: number };
}

const WORST = 5;

export async function runCost(options: {
  readonly budgetMs: number;
  readonly seed: number;
  readonly start: () => Promise<CostServer>;
  readonly progress: (line: string) => void;
}): Promise<CostResult> {
  const { budgetMs, seed, start, progress } = options;
  const costs: Cost[] = [];
  const codes: { [code: string]: number } = {};
  const unanswered: Cost[] = [];
  const begun = realNow();
  let requests = 0;
  for (let batch = 0; realNow() - begun < budgetMs; batch++) {
    const server = await start();
    try {
      for (const sequence of fc.sample(costlyRequests, { seed: seed + batch, numRuns: SEQUENCES }))
        for (const request of sequence) {
          if (realNow() - begun >= budgetMs || server.child.exitCode !== null) break;
          const cost = await costOf(server, request);
          requests++;
          codes[cost.code] = (codes[cost.code] ?? 0) + 1;
          if (cost.code === 0) unanswered.push(cost);
          costs.push(cost);
        }
    } finally {
      server.child.kill('SIGKILL');
    }
    keepWorst(costs);
    if (batch % 10 === 9)
      progress(
        reportCost({ requests, unanswered, slowest: worst(costs, 'ms', 1), largest: worst(costs, 'bytes', 1), codes }),
      );
  }
  return { requests, unanswered, slowest: worst(costs, 'ms'), largest: worst(costs, 'bytes'), codes };
}

function worst(costs: readonly Cost[], by: 'ms' | 'bytes', count = WORST): readonly Cost[] {
  return costs.toSorted((a, b) => b[by] - a[by]).slice(0, count);
}

/** Keeps only the worst costs, because the bodies of requests may take megabytes. */
function keepWorst(costs: Cost[]): void {
  const kept = new Set([...worst(costs, 'ms'), ...worst(costs, 'bytes')]);
  costs.splice(0, costs.length, ...kept);
}

async function costOf({ child, port }: CostServer, request: FuzzRequest): Promise<Cost> {
  const pid = child.pid ?? 0;
  // Resets the memory high-water mark.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const before = { ms: processorMs(pid), bytes: memory(pid, 'VmRSS') };
  const { code, answered, failure } = await send(port, request, () => processorMs(pid));
  const sent = request.body?.length ?? 0;
  if (child.exitCode !== null || child.signalCode !== null)
    return { request, code: 0, answered, ms: 0, bytes: 0, failure: 'the server ended' };
  return {
    request,
    code,
    answered,
    ms: processorMs(pid) - before.ms,
    bytes: memory(pid, 'VmHWM') - before.bytes - sent - answered,
    ...(failure === undefined ? {} : { failure }),
  };
}

function memory(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * PAGE_BYTES;
}

/** Returns the CPU time of all threads of a process; on a busy machine wall time would include other processes. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function send(
  port: number,
  { method, target, headers, body }: FuzzRequest,
  processor: () => number,
): Promise<Pick<Cost, 'code' | 'answered' | 'failure'>> {
  return new Promise((resolve) => {
    let answered = 0;
    const length = body === undefined ? {} : { 'content-length': body.length };
    const sent = httpRequest(
      // Connections are not reused: a connection that the server has closed would look like a missing answer.
      { host: '127.0.0.1', port, method, path: target, headers: { ...headers, ...length }, agent: new Agent() },
      (response) => {
        response.on('data', (piece: Buffer) => (answered += piece.length));
        response.on('end', () => done(response.statusCode ?? 0));
        response.on('error', ({ message }) => done(0, message));
      },
    );
    const begun = processor();
    let before = begun;
    const giveUpOrWait = (): void => {
      const now = processor();
      if (now > before && now - begun < ANSWER_TIMEOUT_MS) {
        before = now;
        timer = realSetTimeout(giveUpOrWait, ANSWER_TIMEOUT_MS);
        return;
      }
      done(0, `none within ${ANSWER_TIMEOUT_MS} ms`);
      sent.destroy();
    };
    let timer = realSetTimeout(giveUpOrWait, ANSWER_TIMEOUT_MS);
    const done = (code: number, failure?: string): void => {
      realClearTimeout(timer);
      resolve({ code, answered, ...(failure === undefined ? {} : { failure }) });
    };
    sent.on('error', ({ message }) => done(0, message));
    sent.end(body);
  });
}

/** Returns the figures and the worst requests, each truncated to one line. */
export function reportCost({ requests, unanswered, slowest, largest, codes }: CostResult): string {
  const answers = Object.entries(codes).map(([code, count]) => `${code}: ${count}`);
  return [
    `${requests} requests (answers ${answers.join(', ')}), ${unanswered.length} without an answer`,
    ...unanswered.map((cost) => `no answer (${cost.failure ?? ''}, ${cost.ms} ms of a processor): ${shown(cost)}`),
    ...slowest.map((cost) => `${cost.ms} ms of a processor: ${shown(cost)}`),
    ...largest.map(
      (cost) => `${(cost.bytes / 1024 / 1024).toFixed(0)} MiB beyond what was stored and answered: ${shown(cost)}`,
    ),
  ].join('\n');
}

const SHOWN = 160;

function shown({ request, code, answered }: Cost): string {
  const { method, target, headers, body } = request;
  const start = body === undefined ? '' : ` ${body.toString('latin1', 0, SHOWN).replaceAll('\n', '⏎')}`;
  return `${method} ${target.slice(0, SHOWN)} ${headers['content-type'] ?? ''} (${body?.length ?? 0} bytes, answer ${code} of ${answered})${start}`;
}

/** Reports whether the limit was exceeded. */
export function isTooCostly({ unanswered, slowest, largest }: CostResult): boolean {
  return unanswered.length > 0 || (slowest[0]?.ms ?? 0) > COST_MAX.ms || (largest[0]?.bytes ?? 0) > COST_MAX.bytes;
}
