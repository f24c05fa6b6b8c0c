/** Do stored counterexamples still fail after a harmless edit of the controller? They refer to requests by label. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { replay, run } from '../../harness/index.ts';
import type { Counterexample } from '../../harness/index.ts';
import { type ControllerUnderTest, expectedProperties, nameOf, optionsFor } from '../catalogue.ts';

const EDITS = new URL('../../controllers-under-test/harmless-edits/', import.meta.url);

export interface HarmlessEditsResult {
  readonly name: string;
  readonly survived: number;
  readonly tried: number;
  readonly lost: readonly string[];
}

/** Folders of edited copies: `harmless-edits/VARIANT/EDIT/controller.ts`. */
export function editsOf(entry: ControllerUnderTest): readonly string[] {
  const folder = new URL(`${entry.variant}/`, EDITS);
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((item) => item.isDirectory())
      .map((item) => fileURLToPath(new URL(`${item.name}/controller.ts`, folder)));
  } catch {
    return [];
  }
}

/** Finds the variant's bug once per seed, and replays each counterexample on each edited copy. */
export async function checkHarmlessEdits(
  entry: ControllerUnderTest,
  seeds: readonly number[],
): Promise<HarmlessEditsResult> {
  const edits = editsOf(entry);
  const expected = expectedProperties(entry);
  const lost: string[] = [];
  let tried = 0;
  for (const seed of seeds) {
    const result = await run(optionsFor(entry, { budget: '30s', seed, stopAfter: 1 }));
    const finding = result.findings.find((candidate) => expected.includes(candidate.violation.signature.property));
    if (finding === undefined) continue;
    for (const module of edits) {
      const edited: Counterexample = {
        ...finding.counterexample,
        target: { ...finding.counterexample.target, module },
      };
      const { reproduced, missedAnchors } = await replay(edited, { times: 1 });
      tried++;
      if (reproduced.k === 0)
        lost.push(`seed ${seed}, ${module.split('/').slice(-2)[0] ?? module}: missed ${missedAnchors.length} anchors`);
    }
  }
  return { name: nameOf(entry), survived: tried - lost.length, tried, lost };
}
