/** Renders the story of a failing entry like that of a finding. */
import type { RunConfig } from '../../execution/config/run-config.ts';
import { secretSources } from '../../execution/config/secret-sources.ts';
import { counterexampleOfEntry, type Revisited } from '../../model/corpus.ts';
import { redactFinding } from '../../report/redaction/index.ts';
import { Vault } from '../../report/redaction/vault.ts';
import { tellStory } from '../../report/story.ts';
import { renderStory } from '../../report/terminal.ts';
import type { Console } from '../console.ts';

/** Returns the story; empty if there is no history, because the target crashed the run. */
export function storyOf(revisited: Revisited, config: RunConfig, { color, width, called }: Console): string {
  const { name, entry, history, violation, reanchored } = revisited;
  if (history === undefined || violation === undefined) return '';
  const today = { crds: config.crds, ...(config.project === null ? {} : { project: config.project }) };
  const { schedule } = reanchored ?? entry;
  const counterexample = { ...counterexampleOfEntry(entry, today), schedule };
  const vault = new Vault();
  vault.sources.push(secretSources(config));
  const story = tellStory(redactFinding({ violation, counterexample, record: history }, vault));
  return `\n${renderStory(story, { color, width, replay: `${called} corpus run ${name}` })}`;
}
