/**
 * The report document: everything that a page shows of a finding, as data. It is the only contract between the recorded data
 * and the page.
 *
 * Owns: the types. Does not own: how they are derived (`make-document.ts`) or displayed
 * (`render-page.ts` writes the page, `page/` runs in it). A field that changes its meaning requires a new version.
 */
import type { Counterfactual, Grade } from '../../model/finding.ts';
import type { Phase } from '../../model/history.ts';
import type { Comparison } from '../at-rest.ts';
import type { ShownSignature } from '../shown-signature.ts';
import type { EventTable } from './event-table.ts';

export const REPORT_VERSION = 2;

export interface ReportDocument {
  readonly version: typeof REPORT_VERSION;
  readonly kind: 'report';
  readonly head: ReportHead;
  readonly story: ReportStory;
  /** Every deviation of the schedule, with the result of the run without it. */
  readonly counterfactuals: readonly ReportDeviation[];
  /** The passing run without one of the deviations, compared with this one; absent if none is known. */
  readonly neighbour?: ReportNeighbour;
  /** The versions of the story's objects, one chain per object. */
  readonly chains: readonly ReportChain[];
  /** The versions at the server and those that each actor had received, by tick. */
  readonly views: readonly ObjectView[];
  readonly rates: ReportRates;
  readonly events: EventTable;
  /** Commands to copy. */
  readonly reproduce: readonly { readonly what: string; readonly command: string }[];
  /** The waiver to paste into the configuration; absent on older pages. */
  readonly waiver?: string;
  readonly environment: readonly { readonly name: string; readonly value: string }[];
  /** What the page omits, and where to find it. */
  readonly notes: readonly string[];
}

export interface ReportHead extends ShownSignature {
  /** For example `LOST UPDATE`. */
  readonly title: string;
  readonly sentence: string;
  /** The cause; absent on older pages, and if it adds nothing to the sentence. */
  readonly cause?: string;
  /** Other symptoms of the cause; absent if there are none. */
  readonly symptoms?: readonly string[];
  readonly severity: 'error' | 'warning';
  readonly grade?: Grade;
  /** For example `93→6 steps · 24→2 actors · …`; absent if it was not recorded. */
  readonly tried?: string;
  /** What usually fixes findings of this kind; absent for the user's own claims. */
  readonly mend?: string;
  /** True for a run without a guilty request, whose page must not look like that of a finding. */
  readonly blameless?: true;
  /** Whether it reproduced on a real API server; absent on older pages. */
  readonly server?: string;
  /** The least lag that reproduces it: the longest lag in the shrunk run. Absent if none is needed. */
  readonly lag?: string;
}

export interface ReportStory {
  /** Columns from left to right; the API server's column comes after them. */
  readonly actors: readonly string[];
  /** Heading of the last column. */
  readonly server: string;
  readonly rows: readonly ReportRow[];
  readonly unrelatedSteps: number;
  readonly atRest: readonly Comparison[];
  /** Labels of the schedule that never occurred. */
  readonly missed: readonly string[];
}

export type ReportRow =
  | {
      readonly row: 'operation';
      readonly at: number;
      readonly timeMs: number;
      readonly number: number;
      readonly actor: string;
      readonly request: string;
      readonly answer?: string;
      readonly guilty: boolean;
      readonly remark?: string;
      readonly stale?: string;
      /**
       * For example `content of version 9, read at step 2, under version 12`: which version a write was made from, if that is
       * not the newest.
       */
      readonly base?: string;
    }
  | {
      readonly row: 'seen';
      readonly at: number;
      readonly number: number;
      readonly actor: string;
      readonly text: string;
    }
  | ReportDeviation
  | {
      readonly row: 'event';
      readonly at: number;
      readonly actor: string;
      readonly text: string;
      readonly log: boolean;
      readonly guilty: boolean;
    }
  | { readonly row: 'folded'; readonly at: number; readonly text: string };

export interface ReportDeviation {
  readonly row: 'deviation';
  readonly at: number;
  readonly deviation: 'preemption' | 'hold' | 'release' | 'fault';
  readonly ordinal?: string;
  readonly text: string;
  readonly without?: Counterfactual['without'];
}

/** The failing run, compared with the passing one that leaves one deviation out. */
export interface ReportNeighbour {
  /** The deviation that was left out. */
  readonly without: string;
  readonly rows: readonly ComparedRow[];
  /** The final differences; empty if only the steps differ. */
  readonly ends: readonly RunEnd[];
}

/** A row of the comparison. For `same`, `steps` is the number of equal rows; for `more`, the number of omitted ones. */
export type ComparedRow =
  | {
      readonly row: 'step';
      readonly actor: string;
      readonly same: boolean;
      /** True for the first row that differs. */
      readonly parts: boolean;
      readonly failing?: ComparedStep;
      readonly passing?: ComparedStep;
      /** For a step in one run only: whether the other run has it earlier or later. Absent if it never does. */
      readonly moved?: 'earlier' | 'later';
    }
  | { readonly row: 'same' | 'more'; readonly steps: number };

export interface ComparedStep {
  readonly request: string;
  readonly answer?: string;
  readonly guilty: boolean;
}

/** The final state of an object in both runs: the field's value, `there`, `gone` or `never there`. */
export interface RunEnd {
  readonly object: string;
  readonly failing: string;
  readonly passing: string;
}

export interface ReportChain {
  /** For example `deployments/web`. */
  readonly object: string;
  /** Leaf pattern; empty for the whole object. */
  readonly field: string;
  readonly versions: readonly ChainVersion[];
}

export interface ChainVersion {
  readonly at: number;
  readonly timeMs: number;
  readonly revision: number;
  readonly actor: string;
  /** The HTTP method: `PUT`, `PATCH`, … */
  readonly request: string;
  /** The version from which the write took its content; absent if it repeats no content. */
  readonly base?: number;
  /** The `resourceVersion` in the request. */
  readonly under?: number;
  /** The field's value after the write, or else the other changes of the write. */
  readonly value: string;
  readonly intent: Intent;
  /** `victim`: the write that the guilty one destroyed; `involved`: another write that shows the violation. */
  readonly role?: 'guilty' | 'victim' | 'involved';
}

/**
 * What a writer intended for the field. `meant`: the request differs from the version it was made from. `carried`: the request
 * repeats its base, and the server had the same value. `reverted`: it repeats its base, but the server's value had changed
 * since. `rebuilt`: it builds the part again, and omits the field. `server`: the request does not contain it. `none`: the field
 * did not change.
 */
export type Intent = 'created' | 'meant' | 'carried' | 'reverted' | 'rebuilt' | 'server' | 'deleted' | 'none';

export interface ObjectView {
  readonly object: string;
  /** Paths of the leaves whose values are listed. */
  readonly leaves: readonly string[];
  readonly live: readonly Sight[];
  readonly caches: readonly ToldSights[];
}

/** The versions of an object that an actor received, by watch or by answers. */
export interface ToldSights {
  readonly actor: string;
  /** `watch`: by watch events and by lists, which fill a cache. `answers`: by answers to requests for the object itself. */
  readonly via: 'watch' | 'answers';
  readonly told: readonly Sight[];
}

/** A version of an object, and the tick at which it became current. */
export interface Sight {
  readonly at: number;
  readonly revision: number;
  readonly gone: boolean;
  /** One value per leaf of the view; `null` if unset. */
  readonly values: readonly (string | null)[];
}

export interface ReportRates {
  readonly fromMs: number;
  readonly bucketMs: number;
  readonly buckets: number;
  readonly actors: readonly ActorRate[];
  readonly phases: readonly { readonly phase: Phase; readonly timeMs: number }[];
}

export interface ActorRate {
  readonly actor: string;
  /** Number of requests in each bucket. */
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  readonly refused: readonly number[];
}
