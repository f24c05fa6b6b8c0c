/** Searches for one known finding, without giving the search any knowledge of it. */
import { run } from '../harness/index.ts';
import type { CampaignResult, Finding, StalemateOptions } from '../harness/index.ts';

export interface Hunt {
  readonly result: CampaignResult;
  /** Duration of the whole search, in seconds. */
  readonly seconds: number;
  /** Absent if it was not found. */
  readonly hit?: { readonly finding: Finding; readonly afterSeconds: number };
}

/** Searches until the wanted finding appears; calls `onOther` with each finding before it, and its time in seconds. */
export async function hunt(
  options: StalemateOptions,
  isWanted: (finding: Finding) => boolean,
  onOther: (finding: Finding, afterSeconds: number) => void,
  tuning: { readonly shrinkMs?: number } = {},
): Promise<Hunt> {
  const stop = new AbortController();
  const began = performance.now();
  const seconds = (): number => Math.round((performance.now() - began) / 1000);
  let hit: Hunt['hit'];
  const result = await run(options, {
    ...tuning,
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

/** Returns a finding as one line: its subject, the parts of its schedule, how often it was reproduced, and its sentence. */
export function findingLine({ violation, stats }: Finding): string {
  const { preemptions, holds, faults, reproduced } = stats;
  const { property, kind, field } = violation.signature;
  const about = [property, 'of', kind, ...(field === '' ? [] : [field])].join(' ');
  return `${about} (${preemptions}+${holds}+${faults}, ${reproduced.k}/${reproduced.n}): ${violation.sentence}`;
}
