/** The list of all guards. Each guard is in the file for what it protects. */
import { CLUSTER_GUARDS } from './clusters.ts';
import { COMMAND_GUARDS } from './commands.ts';
import { FILE_GUARDS } from './files.ts';
import type { Guard } from './guard.ts';
import { TARGET_GUARDS } from './targets.ts';

export const GUARDS: readonly Guard[] = [...FILE_GUARDS, ...TARGET_GUARDS, ...COMMAND_GUARDS, ...CLUSTER_GUARDS];
