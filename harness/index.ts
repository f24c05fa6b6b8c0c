/// <reference types="node" preserve="true" />
/** The exports of `stalemate`. The command line uses the same functions. */
export { openLab, recheck, replay, resolveRun, run } from './cli/library.ts';
export type { LabContext, ReplayContext, RunContext } from './cli/library.ts';
export { properties, writers } from './cli/registry.ts';
export { defineConfig } from './execution/config/options.ts';
export type { StalemateOptions } from './execution/config/options.ts';
export { assertProperty } from './execution/lab/assert-property.ts';
export type { Lab, TrialResult } from './execution/lab/lab.ts';
export { always, eventually, sometimes } from './execution/config/predicates.ts';
export type { CelClaim } from './execution/config/cel-claims.ts';
export type { Predicate } from './execution/config/predicate.ts';
export type { CampaignEvents, Progress } from './execution/api.ts';
export type { Budget, RunConfig } from './execution/config/run-config.ts';
export type { CheckResult, Violation } from './model/check-result.ts';
export type { Signature } from './model/signature.ts';
export type { Counterexample } from './model/counterexample.ts';
export { EXIT, HarnessError } from './model/errors.ts';
export type { ExitCode, HarnessErrorCode } from './model/errors.ts';
export type {
  CampaignResult,
  CheckReport,
  Finding,
  FindingRecord,
  FindingStats,
  ReplayResult,
} from './model/finding.ts';
export type { History, Operation, Revision } from './model/history.ts';
export type { KubeObject } from 'stalemate-apiserver/objects/object';
export type { Fault, Hold, Preemption, Schedule } from './model/schedule.ts';
export type { Trial } from './model/trial.ts';
export type { Program, ProgramOp, Workload } from './model/workload.ts';
export type { Property } from './oracle/property.ts';
export { runPage } from './report/html/run/run-page.ts';
export type { ReportedFinding, RunDocument, Scenario } from './report/run/document.ts';
export { FORMATS as reportFormats } from './report/run/formats.ts';
export { makeRun, makeScenario } from './report/run/make-document.ts';
export { tellStory } from './report/story.ts';
export type { Story } from './report/story.ts';
export { renderStory } from './report/terminal.ts';
export { summarise } from './report/summary.ts';
export type { Summary } from './report/summary.ts';
export { depositSchedule, trialArbitrary } from './schedule/arbitrary.ts';
export { decodeCounterexample, encodeCounterexample } from './schedule/codec/counterexample.ts';
export { decodeHistory, encodeHistory } from './schedule/codec/history.ts';
export { redactFinding } from './report/redaction/index.ts';
export { decodeRecord, encodeRecord } from './schedule/codec/record.ts';
export { decodeSchedule, encodeSchedule } from './schedule/codec/schedule.ts';
export { decodeWorkload, encodeWorkload } from './schedule/codec/workload.ts';
export { specChanges } from './schedule/workload/schema-arbitrary.ts';
export { objectArbitrary, valueArbitrary } from './schedule/workload/value-arbitrary.ts';
export { workloadArbitrary } from './schedule/workload/workload-arbitrary.ts';
export type { AdversarialWriter, Aim } from './schedule/workload/writer.ts';
