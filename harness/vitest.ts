/// <reference types="node" preserve="true" />
/** What `import … from 'stalemate/vitest'` offers: campaigns and claims as tests of vitest. */
export { testClaim, testController } from './cli/vitest-tests.ts';
export type { Claim, ClaimOptions, ControllerTestOptions } from './cli/vitest-tests.ts';
