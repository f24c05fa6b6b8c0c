/** `stalemate ci`: checks a pull request. */
import { Command } from 'commander';
import type { BaseFlags } from '../base-build.ts';
import type { CommandContext } from '../command-context.ts';
import { againOf } from '../campaign/again.ts';
import { runCampaign } from '../campaign/run.ts';
import { withRunFlags, type RunFlags } from './run-flags.ts';
import { flagsWith } from './target-flags.ts';

type CiFlags = RunFlags & BaseFlags;

/** Fixed, so that whether the check passes depends on the change and not on chance. */
const SEED = 1;

const HELP = `
Like "run", for pull requests: replays the corpus first, then makes the same search each time (seed 1; fresh seeds are for nightly
runs). With a base build, each new finding is replayed there: what fails there too was there before the change, is reported as
pre-existing, and does not fail the run.

Without --report, junit.xml is written to the report folder, and on GitHub Actions annotations and a job summary too.

Examples:
  stalemate ci --config stalemate.config.ts --budget 2m
  stalemate ci --base-command ./base/manager … -- ./bin/manager --kubeconfig {kubeconfig}
  stalemate ci --base-target base/stalemate.target.ts

Exit codes: 0 nothing that is new fails, 1 a new finding, a regression or a known failure, 3 inconclusive`;

export function ciCommand(context: CommandContext): Command {
  return withRunFlags(new Command('ci'))
    .description('Judge a change: the corpus, a fixed search, and what is new compared with the base build.')
    .option('--base-command <command>', 'program before the change; alone, it gets the arguments of the target')
    .option('--base-target <module>', 'module before the change')
    .addHelpText('after', HELP)
    .action(async (command: readonly string[], flags: CiFlags, self: Command) => {
      const asked = flagsWith(command, flags, self);
      const formats = process.env['GITHUB_ACTIONS'] === 'true' ? ['junit', 'github', 'markdown'] : ['junit'];
      const report = asked.report ?? formats.map((format) => ({ format }));
      context.finish(
        await runCampaign({ ...asked, report, again: againOf(self) }, context, { base: asked, seed: SEED }),
      );
    });
}
