/**
 * Builds the command that continues a search: the command as typed, reduced to the arguments that the search depends on.
 *
 * Owns: which arguments the search depends on. Does not own: budget and seed of the next search (`report/left-out.ts`).
 * Environment variables are not repeated, because they are still set.
 */
import { Command } from 'commander';
import type { Again } from '../../report/left-out.ts';
import { rawArgumentsOf, withTargetFlags } from '../commands/target-flags.ts';

/** Flags that get new values in the next search. */
const OTHER: ReadonlySet<string> = new Set(['--budget', '--seed']);
/** The flag that `corpus run` accepts in addition to those of the target. */
const CORPUS = '--corpus';

export function againOf(self: Command): Again {
  const raw = rawArgumentsOf(self);
  const mark = raw.indexOf('--');
  const flags = flagsOf(raw.slice(raw.indexOf(self.name()) + 1, mark < 0 ? raw.length : mark), self);
  const ofTarget = new Set([CORPUS, ...withTargetFlags(new Command()).options.map(({ long }) => long)]);
  return {
    command: self.name(),
    flags: flags.filter(({ name }) => !OTHER.has(name)).flatMap(({ words }) => words),
    corpus: flags.filter(({ name }) => ofTarget.has(name)).flatMap(({ words }) => words),
    program: mark < 0 ? [] : raw.slice(mark + 1),
  };
}

interface Flag {
  readonly name: string;
  /** The flag and its value, as typed. */
  readonly words: readonly string[];
}

function flagsOf(words: readonly string[], { options }: Command): readonly Flag[] {
  const flags: Flag[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const [name = word] = word.split('=', 1);
    const option = options.find(({ long }) => long === name);
    const takesNext = option?.required === true && !word.includes('=');
    flags.push({ name, words: takesNext ? words.slice(at, at + 2) : [word] });
    if (takesNext) at++;
  }
  return flags;
}
