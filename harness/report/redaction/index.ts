/**
 * Removes secrets from findings and recordings before they are written, and restores them in counterexamples before they are
 * run.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Counterexample } from '../../model/counterexample.ts';
import type { Revisited } from '../../model/corpus.ts';
import type { CampaignResult } from '../../model/finding.ts';
import type { History } from '../../model/history.ts';
import type { Recording } from '../../model/recording.ts';
import { specHash } from '../../model/spec-hash.ts';
import type { RunDocument } from '../run/document.ts';
import type { StoryInput } from '../story.ts';
import {
  ownSecretsOf,
  ownSecretsOfCounterexample,
  ownSecretsOfRecording,
  withoutForeignSecrets,
  type IsOwn,
  type RunPlaces,
} from './foreign-secrets.ts';
import { keyLinesIn } from './known-formats.ts';
import { Redaction } from './redaction.ts';
import { withoutStandIns } from './stand-in.ts';
import { Vault, type Restored } from './vault.ts';

/** Makes a redaction that knows the secrets of the configuration. */
function redactionFor(vault: Vault): Redaction {
  const redaction = new Redaction(() => vault.key());
  for (const sources of vault.sources) redaction.learn(sources);
  return redaction;
}

/**
 * Returns a finding without its secrets, and without Secrets of other namespaces. The vault stores the secrets that a replay
 * needs.
 */
export function redactFinding<T extends StoryInput>(finding: T, vault: Vault = new Vault()): T {
  const { counterexample, record, violation, neighbour, stats } = finding;
  const redaction = redactionFor(vault).learn(counterexample).learn(record).learn(neighbour);
  const hidden = hideCounterexample(redaction, counterexample, vault);
  const isOwn = ownSecretsOfCounterexample(counterexample);
  const { also } = finding as { readonly also?: unknown };
  return {
    ...finding,
    counterexample: hidden,
    record: hideHistory(redaction, record, isOwn),
    violation: redaction.hide(violation),
    ...(stats === undefined ? {} : { stats: redaction.hide(stats) }),
    ...(also === undefined ? {} : { also: redaction.hide(also) }),
    ...(neighbour === undefined
      ? {}
      : { neighbour: { ...redaction.hide(neighbour), history: hideHistory(redaction, neighbour.history, isOwn) } }),
  };
}

/** Returns a counterexample without its secrets, as {@link redactFinding} does. */
export function redactCounterexample(counterexample: Counterexample, vault: Vault = new Vault()): Counterexample {
  return hideCounterexample(redactionFor(vault).learn(counterexample), counterexample, vault);
}

function hideCounterexample(redaction: Redaction, counterexample: Counterexample, vault: Vault): Counterexample {
  const hidden = redaction.hide(counterexample);
  vault.keep(hidden, (standIn) => redaction.secretOf(standIn));
  return hidden;
}

/**
 * Returns a recording without its secrets, and without Secrets that no actor in it requested. A recording is never run again,
 * so no secret is stored.
 *
 * @param places - For a run of a campaign: the places of its objects.
 */
export function redactRecording<T extends Pick<Recording, 'history'>>(
  recording: T,
  vault: Vault,
  places?: RunPlaces,
): T {
  const { history } = recording;
  // A stored run of a campaign was filtered when it was written.
  const isStored = 'source' in recording && recording.source === 'run';
  const isOwn = places !== undefined ? ownSecretsOf(places) : isStored ? () => true : ownSecretsOfRecording(history);
  const redaction = redactionFor(vault).learn(recording);
  const { history: _, ...rest } = recording;
  return { ...recording, ...redaction.hide(rest), history: hideHistory(redaction, history, isOwn) };
}

/** Removes the secrets of a campaign's configuration from texts. */
export function redactTexts(texts: readonly string[], sources: unknown, vault: Vault): readonly string[] {
  const redaction = redactionFor(vault).learn(sources);
  return texts.map((text) => redaction.hideText(text));
}

/** Removes the secrets of a campaign's configuration from its texts; its findings are unchanged. */
export function redactWords<T extends Pick<CampaignResult, 'warnings' | 'inconclusive' | 'remarks' | 'printed'>>(
  result: T,
  sources: unknown,
  vault: Vault,
): T {
  const redaction = redactionFor(vault).learn(sources);
  const { warnings, inconclusive, remarks, printed } = result;
  const hidden = (texts: { readonly [reason: string]: string }): { [reason: string]: string } =>
    Object.fromEntries(
      Object.entries(texts).map(([reason, text]) => [redaction.hideText(reason), redaction.hideText(text)]),
    );
  const reasons = new Map<string, number>();
  for (const [reason, count] of Object.entries(inconclusive.reasons)) {
    const text = redaction.hideText(reason);
    reasons.set(text, (reasons.get(text) ?? 0) + count);
  }
  return {
    ...result,
    warnings: warnings.map((warning) => redaction.hideText(warning)),
    ...(printed === undefined ? {} : { printed: printed.map((line) => redaction.hideText(line)) }),
    ...(remarks === undefined
      ? {}
      : { remarks: remarks.map((one) => ({ ...one, sentence: redaction.hideText(one.sentence) })) }),
    inconclusive: {
      ...inconclusive,
      reasons: Object.fromEntries(reasons),
      ...(inconclusive.examples === undefined ? {} : { examples: hidden(inconclusive.examples) }),
      ...(inconclusive.files === undefined ? {} : { files: hidden(inconclusive.files) }),
    },
  };
}

/** Removes the secrets of a run from a sentence about it. */
export function withoutItsSecrets(sentence: string, history: History): string {
  return withoutStandIns(new Redaction(() => NO_KEY).learn(history).hideText(sentence));
}

/** Encodes a value as text that does not depend on its secrets, for digests. */
export function textBesidesSecrets(value: unknown): string {
  const redaction = new Redaction(() => NO_KEY).learn(value);
  return withoutStandIns(JSON.stringify(redaction.hide(value)));
}

/** Reports whether a stored value may contain a secret, by place or format. Cheaper than redacting it, because no secrets are learnt. */
export function holdsSecrets(value: unknown): boolean {
  return new Redaction(() => NO_KEY).hide(value) !== value;
}

/** The key of stand-ins that are never written. */
const NO_KEY = new Uint8Array(32);

/** Removes secrets from a value that was derived from a configuration. The value is never run again, so no secret is stored. */
export function redactConfigured<T>(value: T, sources: unknown, vault: Vault): T {
  return redactionFor(vault).learn(sources).learn(value).hide(value);
}

/**
 * Removes secrets from the result of a corpus entry: those of the configuration, and those of the entry that the replay has
 * restored.
 */
export function redactRevisited(revisited: Revisited, sources: unknown, vault: Vault): Revisited {
  const { entry, history, violation, detail, reanchored, missed } = revisited;
  const redaction = redactionFor(vault).learn(sources).learn(vault.restore(entry).value).learn(history);
  return {
    ...revisited,
    entry: redaction.hide(entry),
    missed: redaction.hide(missed),
    ...(history === undefined ? {} : { history: hideHistory(redaction, history, () => true) }),
    ...(violation === undefined ? {} : { violation: redaction.hide(violation) }),
    ...(detail === undefined ? {} : { detail: redaction.hideText(detail) }),
    ...(reanchored === undefined ? {} : { reanchored: redaction.hide(reanchored) }),
  };
}

/** Removes the secrets of the configuration from a run document. */
export function redactRun(run: RunDocument, sources: unknown, vault: Vault): RunDocument {
  return redactionFor(vault).learn(sources).learn(run).hide(run);
}

/** Returns a counterexample with the secrets of this machine restored, ready to run. */
export function restoreCounterexample(counterexample: Counterexample, vault: Vault): Restored<Counterexample> {
  return vault.restore(counterexample);
}

/** Redacts a history. In its reference, hashes of the redacted specs replace those of the originals, so that look-ups still find them. */
function hideHistory(redaction: Redaction, whole: History, isOwn: IsOwn): History {
  const history = withoutKeyLines(redaction, withoutForeignSecrets(whole, isOwn));
  const hidden = redaction.hide(history);
  if (hidden === history || hidden.reference === undefined) return hidden;
  const renamed = new Map<string, string>();
  history.revisions.forEach(({ object }, index) => {
    const after: KubeObject | undefined = hidden.revisions[index]?.object;
    if (after !== undefined && after !== object) renamed.set(specHash(object), specHash(after));
  });
  const name = (hash: string): string => renamed.get(hash) ?? hash;
  const { reference } = hidden;
  return {
    ...hidden,
    reference: {
      ...reference,
      healthySpecs: reference.healthySpecs.map(name),
      children: reference.children.map((child) => ({
        ...child,
        maxBySpec: Object.fromEntries(Object.entries(child.maxBySpec).map(([hash, most]) => [name(hash), most])),
      })),
    },
  };
}

/** Hides the lines of printed private keys, each of which is a log line of its own. */
function withoutKeyLines(redaction: Redaction, history: History): History {
  const { logs = [] } = history;
  const hidden = new Set<number>();
  for (const actor of new Set(logs.map((line) => line.actor))) {
    const own = [...logs.keys()].filter((at) => logs[at]?.actor === actor);
    for (const at of keyLinesIn(own.map((one) => logs[one]?.line ?? ''))) hidden.add(own[at] ?? -1);
  }
  if (hidden.size === 0) return history;
  return {
    ...history,
    logs: logs.map((one, at) => (hidden.has(at) ? { ...one, line: redaction.hideWhole(one.line) } : one)),
  };
}
