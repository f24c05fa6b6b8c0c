/** The controllers under test as options for a campaign. Shared by the tour, the benchmark and the self-checks. */
import { fileURLToPath } from 'node:url';
import { controllers } from '../harness/index.ts';
import type { ControllerUnderTest, StalemateOptions } from '../harness/index.ts';

const ROOT = fileURLToPath(new URL('../controllers-under-test/', import.meta.url));

/** `releases/ignores-conflict`. */
export function nameOf({ controller, variant }: ControllerUnderTest): string {
  return `${controller}/${variant}`;
}

export function isCorrect(entry: ControllerUnderTest): boolean {
  return entry.expected === 'holds';
}

/** The properties that a wrong variant must be caught by, any of them. */
export function expectedProperties({ expected }: ControllerUnderTest): readonly string[] {
  return typeof expected === 'string' ? [] : expected;
}

/** All entries, or those whose name contains one of the given texts. */
export function selected(only: readonly string[]): readonly ControllerUnderTest[] {
  return controllers.filter((entry) => only.length === 0 || only.some((text) => nameOf(entry).includes(text)));
}

/** A campaign against one entry. */
export function optionsFor(entry: ControllerUnderTest, more: StalemateOptions = {}): StalemateOptions {
  return {
    target: ROOT + entry.module,
    crds: entry.crds.map((file) => ROOT + file),
    samples: [ROOT + entry.sample],
    ...(entry.leaderElection === true ? { leaderElection: true } : {}),
    ...more,
  };
}
