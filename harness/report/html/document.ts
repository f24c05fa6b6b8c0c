/**
 * The report document: all that a page shows of a finding, as data. The one contract between what was recorded and the page.
 *
 * Owns: the nouns. Does not own: how they are derived (`make-document.ts`), how they are checked (`document-schema.ts`), how they look
 * (`render-page.ts` writes the page, `page/` is what runs in it). Changing the meaning of a field is a new version.
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
  /** Every deviation of the schedule, and what happens without it. */
  readonly counterfactuals: readonly ReportDeviation[];
  /** The run that passes without one of them, beside this one; absent where none is known. */
  readonly neighbour?: ReportNeighbour;
  /** The versions of the objects that the story is about, one chain per object. */
  readonly chains: readonly ReportChain[];
  /** What was at the server and what each actor had received of it, by tick. */
  readonly views: readonly ObjectView[];
  readonly rates: ReportRates;
  readonly events: EventTable;
  /** Commands to copy. */
  readonly reproduce: readonly { readonly what: string; readonly command: string }[];
  /** What to paste into the configuration to waive it for a while; absent on older pages. */
  readonly waiver?: string;
  readonly environment: readonly { readonly name: string; readonly value: string }[];
  /** What the page leaves out, and where it is. */
  readonly notes: readonly string[];
}

export interface ReportHead extends ShownSignature {
  /** `LOST UPDATE`. */
  readonly title: string;
  readonly sentence: string;
  /** What did it; absent on pages of before, and where it says no more than the sentence. */
  readonly cause?: string;
  /** How else the cause shows; absent where this is all. */
  readonly symptoms?: readonly string[];
  readonly severity: 'error' | 'warning';
  readonly grade?: Grade;
  /** `93→6 steps · 24→2 actors · …`; absent where it was not recorded. */
  readonly tried?: string;
  /** What usually fixes findings of this kind; absent for claims of the user's own. */
  readonly mend?: string;
  /** A run without a guilty request: it must not look like a finding. */
  readonly blameless?: true;
  /** Whether it happened on a real server, too; absent on pages of before. */
  readonly server?: string;
  /** How far behind a reader has to be at least: the longest lag that the shrunk run has. Absent where it needs none. */
  readonly lag?: string;
}

export interface ReportStory {
  /** Columns from left to right, the API server after them. */
  readonly actors: readonly string[];
  /** Head of the last column. */
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
      /** `content of version 9, read at step 2, under version 12`: what a write was made of, when that is not the newest. */
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

/** The failing run beside the same one without one deviation, which passes. */
export interface ReportNeighbour {
  /** What was left out. */
  readonly without: string;
  readonly rows: readonly ComparedRow[];
  /** What is different in the end; empty when only the way there is. */
  readonly ends: readonly RunEnd[];
}

/** `same`: so many rows that do not differ; `more`: so many that are left out. */
export type ComparedRow =
  | {
      readonly row: 'step';
      readonly actor: string;
      readonly same: boolean;
      /** The first row that differs. */
      readonly parts: boolean;
      readonly failing?: ComparedStep;
      readonly passing?: ComparedStep;
      /** Of a step of one run only: when the other run has it. Absent where it never does. */
      readonly moved?: 'earlier' | 'later';
    }
  | { readonly row: 'same' | 'more'; readonly steps: number };

export interface ComparedStep {
  readonly request: string;
  readonly answer?: string;
  readonly guilty: boolean;
}

/** The end of an object in either run: the field's value, `there`, `gone` or `never there`. */
export interface RunEnd {
  readonly object: string;
  readonly failing: string;
  readonly passing: string;
}

export interface ReportChain {
  /** `deployments/web`. */
  readonly object: string;
  /** Leaf pattern; empty when the whole object is meant. */
  readonly field: string;
  readonly versions: readonly ChainVersion[];
}

export interface ChainVersion {
  readonly at: number;
  readonly timeMs: number;
  readonly revision: number;
  readonly actor: string;
  /** `PUT`, `PATCH`, … */
  readonly request: string;
  /** The version that the content of the write stems from; absent where nothing was carried along. */
  readonly base?: number;
  /** The version that the request named. */
  readonly under?: number;
  /** Value of the field after it, or what else changed. */
  readonly value: string;
  readonly intent: Intent;
  /** `victim`: what a guilty write destroyed; `involved`: what else shows the violation. */
  readonly role?: 'guilty' | 'victim' | 'involved';
}

/**
 * What a writer meant with the field. `meant`: the request says something else than the version it was made of. `carried`: the
 * request repeats what its base had, and the server had the same. `reverted`: it repeats its base, but the server had something else
 * by then. `rebuilt`: it builds the part again, and leaves the field out. `server`: the request does not name it. `none`: the field did
 * not change.
 */
export type Intent = 'created' | 'meant' | 'carried' | 'reverted' | 'rebuilt' | 'server' | 'deleted' | 'none';

export interface ObjectView {
  readonly object: string;
  /** Leaf paths whose values are listed. */
  readonly leaves: readonly string[];
  readonly live: readonly Sight[];
  readonly caches: readonly ToldSights[];
}

/** What an actor received of an object, by watch or by answers. */
export interface ToldSights {
  readonly actor: string;
  /** `watch`: by the events of a watch and by lists, which is what a cache goes by. `answers`: to requests for the object itself. */
  readonly via: 'watch' | 'answers';
  readonly told: readonly Sight[];
}

/** A version of an object, from a tick on. */
export interface Sight {
  readonly at: number;
  readonly revision: number;
  readonly gone: boolean;
  /** One per leaf of the view; `null` where it is not set. */
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
  /** Requests per bucket. */
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  readonly refused: readonly number[];
}
