/**
 * `stalemate soak`: runs campaigns one after the other, for hours. It continues after being killed, and the results of several machines can
 * be merged.
 */
import { Command } from 'commander';
import type { EnvVars } from 'stalemate-apiserver/processes/env-vars';
import type { Shard } from '../../model/soak.ts';
import { usage } from '../arguments.ts';
import type { CommandContext } from '../command-context.ts';
import { soak, type SoakFlags } from '../soak/run.ts';
import { withSearchFlags } from './run-flags.ts';
import { flagsWith } from './target-flags.ts';

const HELP = `
Like "run", for hours: batch after batch with a fresh seed, each with other writers, faults, strategies and starts. Seeds follow from
--seed-epoch and --shard alone: sixteen machines with --shard 1/16 to 16/16 make sixteen different searches.
All results are in DIR/soak/EPOCH/SHARD/soak.jsonl, line by line. A soak that was killed, at any moment, continues from there
when it is started again in the same way; --budget counts over all starts. Without --seed-epoch that is the latest unfinished soak of
the same target and shard; if there is none, one of today (UTC) starts. "stalemate merge" adds shards up.

Examples:
  stalemate soak --budget 8h
  stalemate soak --budget 8h --shard 3/16 --seed-epoch 2026-11-22 -- ./bin/manager --kubeconfig {kubeconfig}
  stalemate soak --budget 4h --shard job/16            # in an Indexed Job of Kubernetes: JOB_COMPLETION_INDEX, which counts from 0
  stalemate merge .stalemate/soak

Exit codes: 0 the budget is used up and all holds, 1 something fails, 2 usage, 3 not finished, or inconclusive, 4 a fault of
            stalemate itself, 5 refused by the safety guard`;

export function soakCommand(context: CommandContext): Command {
  return withSearchFlags(new Command('soak'), '8h, 30m, or a number of runs; over all starts (required)')
    .description('Search for hours, on one machine or many, and resume after being killed.')
    .option('--shard <i/n>', 'which part this is, 1/16 to 16/16 (default: 1/1)', shardArgument)
    .option('--seed-epoch <text>', 'what seeds follow from (default: what is unfinished, else today)', epochArgument)
    .addHelpText('after', HELP)
    .action(async (command: readonly string[], flags: SoakFlags, self: Command) => {
      context.finish(await soak(flagsWith(command, flags, self), context));
    });
}

/** Parses `--shard`. */
export function shardArgument(text: string, _before: unknown, env: EnvVars = process.env): Shard {
  const [, word = '', size = ''] = /^(\d+|job)\/(\d+)$/.exec(text.trim()) ?? [];
  const isJob = word === 'job';
  const own = env['JOB_COMPLETION_INDEX'] ?? '';
  if (isJob && !/^\d+$/.test(own))
    throw usage(
      `got --shard "${text}" without the variable JOB_COMPLETION_INDEX, expected to run in a Job with completionMode Indexed; elsewhere name the shard, such as "1/${size}"`,
    );
  const index = isJob ? Number(own) + 1 : Number(word);
  const count = Number(size);
  if (index >= 1 && index <= count && Number.isSafeInteger(count)) return { index, count };
  throw usage(
    `got --shard "${text}"${isJob ? ` with JOB_COMPLETION_INDEX ${own}` : ''}, expected which of how many, from "1/16" to "16/16"`,
  );
}

/** Validates `--seed-epoch`, which also names a folder. */
export function epochArgument(text: string): string {
  if (/^[\w][\w.+-]{0,99}$/.test(text)) return text;
  throw usage(
    `got --seed-epoch "${text}", expected a day such as "2026-11-22", or letters, digits, ".", "+", "_" and "-"`,
  );
}
