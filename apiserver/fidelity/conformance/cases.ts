/**
 * All conformance cases. Their numbers, also used in brackets in test titles elsewhere, are the rows of `apiserver/docs/conformance.md`.
 */
import type { ConformanceCase } from './case.ts';
import { CHANGE_CASES } from './change-cases.ts';
import { DEFINITION_CASES } from './definition-cases.ts';
import { DIFFERENCE_CASES } from './difference-cases.ts';
import { KIND_CASES } from './kind-cases.ts';
import { LIMIT_CASES } from './limit-cases.ts';
import { OBJECT_CASES } from './object-cases.ts';
import { READ_CASES } from './read-cases.ts';
import { REQUEST_CASES } from './request-cases.ts';
import { WRITE_CASES } from './write-cases.ts';

export const CASES: readonly ConformanceCase[] = [
  ...READ_CASES,
  ...WRITE_CASES,
  ...REQUEST_CASES,
  ...OBJECT_CASES,
  ...LIMIT_CASES,
  ...KIND_CASES,
  ...CHANGE_CASES,
  ...DIFFERENCE_CASES,
  ...DEFINITION_CASES,
];
