/** All claims, in the order of the page. */
import { applyReportsOwners } from './apply-reports-owners.ts';
import type { Claim } from './claim.ts';
import { conflictMeansAnotherWriter } from './conflict-means-another-writer.ts';
import { creatingAgainIsSafe } from './creating-again-is-safe.ts';
import { deletionTakesWhatWasRead } from './deletion-takes-what-was-read.ts';
import { emptyVersionDisablesTheCheck } from './empty-version-disables-the-check.ts';
import { mergePatchAddsToLists } from './merge-patch-adds-to-lists.ts';
import { mergePatchNeedsAVersion } from './merge-patch-needs-a-version.ts';
import { noOpWriteSendsNoEvent } from './no-op-write-sends-no-event.ts';
import { oldVersionIsRefused } from './old-version-is-refused.ts';
import { patchWithVersionIsChecked } from './patch-with-version-is-checked.ts';
import { resumedWatchMissesNothing } from './resumed-watch-misses-nothing.ts';
import { statusAndSpecDoNotConflict } from './status-and-spec-do-not-conflict.ts';
import { statusHasItsOwnVersion } from './status-has-its-own-version.ts';
import { statusWriteBumpsGeneration } from './status-write-bumps-generation.ts';
import { tooOldAVersionIsGone } from './too-old-a-version-is-gone.ts';
import { updateKeepsWhatItLeavesOut } from './update-keeps-what-it-leaves-out.ts';

export const CLAIMS: readonly Claim[] = [
  oldVersionIsRefused,
  emptyVersionDisablesTheCheck,
  conflictMeansAnotherWriter,
  statusHasItsOwnVersion,
  statusAndSpecDoNotConflict,
  statusWriteBumpsGeneration,
  mergePatchNeedsAVersion,
  patchWithVersionIsChecked,
  mergePatchAddsToLists,
  updateKeepsWhatItLeavesOut,
  applyReportsOwners,
  noOpWriteSendsNoEvent,
  resumedWatchMissesNothing,
  tooOldAVersionIsGone,
  deletionTakesWhatWasRead,
  creatingAgainIsSafe,
];
