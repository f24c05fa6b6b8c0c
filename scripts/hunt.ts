/** Searches for one finding that is known to be there, with nothing in the search that knows about it. */
import { run } from '../harness/index.ts';
import type { CampaignResult, Finding, StalemateOptions } from '../harness/index.ts';

export interface Hunt {
  readonly result: CampaignResult;
  /** The whole search, in seconds. */
  readonly seconds: number;
  /** Absent where it was not found. */
  readonly hit?: { readonly finding: Finding; readonly afterSeconds: number };
}

/** Searches until a finding is the wanted one; `onOther` is called with each that comes before it, and with the time, in seconds. */
export async function hunt(
  options: StalemateOptions,
  isWanted: (finding: Finding) => boolean,
  onOther: (finding: Finding, afterSeconds: number) => void,
): Promise<Hunt> {
  const stop = new AbortController();
  const began = performance.now();
  const seconds = (): number => Math.round((performance.now() - began) / 1000);
  let hit: Hunt['hit'];
  const result = await run(options, {
    signal: stop.signal,
    events: {
      onFinding: (finding) => {
        if (hit !== undefined) return;
        if (!isWanted(finding)) return onOther(finding, seconds());
        hit = { finding, afterSeconds: seconds() };
        stop.abort();
      },
    },
  });
  return { result, seconds: seconds(), ...(hit === undefined ? {} : { hit }) };
}

/** Returns a finding in one line: what it is about, the parts of its schedule, how often it was reproduced, and its sentence. */
export function findingLine({ violation, stats }: Finding): string {
  const { preemptions, holds, faults, reproduced } = stats;
  const { property, kind, field } = violation.signature;
  const about = [property, 'of', kind, ...(field === '' ? [] : [field])].join(' ');
  return `${about} (${preemptions}+${holds}+${faults}, ${reproduced.k}/${reproduced.n}): ${violation.sentence}`;
}
