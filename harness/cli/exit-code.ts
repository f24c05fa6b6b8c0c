/** Converts the outcome of a campaign to an exit code. */
import { EXIT, type ExitCode } from '../model/errors.ts';
import type { CampaignOutcome } from '../model/finding.ts';
import type { Summary } from '../report/summary.ts';

export const EXIT_BY_OUTCOME: { readonly [outcome in CampaignOutcome]: ExitCode } = {
  holds: EXIT.holds,
  violated: EXIT.violated,
  inconclusive: EXIT.inconclusive,
  vacuous: EXIT.inconclusive,
  interrupted: EXIT.inconclusive,
};

export function exitOf({ outcome }: Summary, outputFailed: boolean): ExitCode {
  const code = EXIT_BY_OUTCOME[outcome];
  return code === EXIT.holds && outputFailed ? EXIT.inconclusive : code;
}
