/// <reference types="node" preserve="true" />
/** The exports of `stalemate/vitest`: campaigns and claims as vitest tests. */
export { testClaim, testController } from './cli/vitest-tests.ts';
export type { Claim, ClaimOptions, ControllerTestOptions } from './cli/vitest-tests.ts';
