/**
 * Hides secrets in a text: known ones, in every spelling, and those recognised by their format or by the word before them.
 *
 * Base64 is decoded and encoded again, so that readers can still decode it. Owns: which stand-in replaces what. A machine that has the
 * secrets can restore the text. If restoring it would give a different text, more of the text is hidden until restoring it is exact. Start
 * at {@link HideText}.
 */
import { base64RunAt, groupPhase, stretchEnd, type Offset } from './base64-text.ts';
import { decodedViews } from './decoded-views.ts';
import { encodedKeysIn, FORMAT_HINTS, formatsIn } from './known-formats.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { NAMED_HINTS, namedValuesIn } from './named-values.ts';
import { SeedSearch } from './seed-search.ts';
import { LOOKED_FOR_MIN, type Sighting } from './spellings.ts';
import { canonicalJson, encodedStandIn, hasStandIn, withSecrets } from './stand-in.ts';

/** Finds hints of secrets that have a known format or a name before them. Most texts contain no hint and need no further search. */
const HINTS = new SeedSearch([...FORMAT_HINTS, ...NAMED_HINTS].map((text) => ({ text, of: undefined })));
/** Maximum depth of base64 inside base64. */
const DEPTH_MAX = 4;

interface Found {
  readonly start: number;
  readonly end: number;
  /** The replacement. */
  readonly put: string;
  /** The stand-in of the secret, which is reused if the match is merged with an overlapping one. */
  readonly standIn: string | undefined;
  /** If several matches cover the same characters, the one with the highest rank wins. */
  readonly rank: number;
}

export class HideText {
  readonly #secrets: KnownSecrets;
  /** Hides secrets in a JSON document, using its keys as well. */
  readonly #hideJson: (value: unknown) => unknown;
  /** False while secrets are being learnt, true once texts are searched for them. */
  #isLooking = false;

  constructor(secrets: KnownSecrets, hideJson: (value: unknown) => unknown) {
    this.#secrets = secrets;
    this.#hideJson = hideJson;
  }

  set isLooking(looking: boolean) {
    this.#isLooking = looking;
  }

  /** Returns the text with stand-ins. */
  hide(text: string, depth = 0): string {
    if (text.length < LOOKED_FOR_MIN) return text;
    const found = this.#found(text, depth, true);
    return found.length === 0 ? text : this.#replaced(text, found);
  }

  /**
   * Hides known secrets, and secrets with a format of their own. Ignores the words before a value, which do not identify secrets in this
   * text.
   */
  hideKnown(text: string): string {
    if (text.length < LOOKED_FOR_MIN) return text;
    const found = this.#found(text, 0, false);
    return found.length === 0 ? text : this.#replaced(text, found);
  }

  /** Hides secrets in an identifier: only those with a format of their own. */
  hideName(name: string): string {
    return HINTS.isIn(name) && formatsIn(name).length > 0 ? this.hide(name) : name;
  }

  /** Hides the whole text. */
  secret(text: string, wanted = true): string {
    return text === '' || hasStandIn(text) ? text : this.#secrets.keep(Buffer.from(text), wanted);
  }

  #replaced(text: string, found: readonly Found[]): string {
    const restored = this.#restored(text);
    const document = canonicalJson(text);
    if (document !== undefined) {
      const hidden = document.text(this.#hideJson(document.value));
      if (this.#found(hidden, 0, true).length === 0 && this.#restored(hidden) === restored) return hidden;
    }
    let out = '';
    let done = 0;
    for (const { start, end, put } of this.#apart(text, found)) {
      out += text.slice(done, start) + put;
      done = end;
    }
    out += text.slice(done);
    return this.#restored(out) === restored ? out : this.#secrets.keep(Buffer.from(text), false);
  }

  #restored(text: string): string {
    return withSecrets(text, (standIn) => this.#secrets.of(standIn));
  }

  /** Sorts matches by position, and merges those that overlap. */
  #apart(text: string, found: readonly Found[]): readonly Found[] {
    const inOrder = found.toSorted((a, b) => a.start - b.start || b.end - a.end || b.rank - a.rank);
    const apart: Found[] = [];
    for (const next of inOrder) {
      const last = apart.at(-1);
      if (last === undefined || next.start >= last.end) apart.push(next);
      else if (next.end > last.end) {
        const [start, end] = [last.start, next.end];
        const whole = text.slice(start, end);
        const standIn = last.standIn ?? next.standIn ?? this.#secrets.keep(Buffer.from(whole), false);
        apart[apart.length - 1] = { start, end, put: this.#secrets.spelled(standIn, 'part', whole), standIn, rank: 0 };
      }
    }
    return apart;
  }

  #found(text: string, depth: number, isNamed: boolean): readonly Found[] {
    const runs = new Runs(text, (decoded) => (depth < DEPTH_MAX ? this.hide(decoded, depth + 1) : decoded));
    const found = HINTS.isIn(text) ? this.#byLooks(text, runs, isNamed) : [];
    const search = this.#isLooking ? this.#secrets.search : undefined;
    if (search === undefined) return found;
    for (const sighting of search.in(text)) found.push(this.#plainly(text, sighting, runs));
    for (const { text: decoded, form, startOf } of decodedViews(text, search.hasSpaces)) {
      for (const { start, end, standIn } of search.in(decoded)) {
        const [from, to] = [startOf(start), startOf(end)];
        const spelled = text.slice(from, to);
        // A match without escapes was found in the original text already.
        if (spelled === decoded.slice(start, end)) continue;
        found.push({ start: from, end: to, put: this.#secrets.spelled(standIn, form, spelled), standIn, rank: 1 });
      }
    }
    return found;
  }

  /** @param isNamed - Whether to use the words before a value as well, in addition to its format. */
  #byLooks(text: string, runs: Runs, isNamed: boolean): Found[] {
    const found: Found[] = [];
    for (const { start, end } of [...formatsIn(text), ...(isNamed ? namedValuesIn(text) : [])]) {
      const secret = text.slice(start, end);
      if (hasStandIn(secret)) continue;
      // While texts are searched, a secret that is found here is not searched for elsewhere: adding it would rebuild the search for each
      // text.
      const standIn = this.#secrets.keep(Buffer.from(secret), !this.#isLooking);
      found.push({ start, end, put: standIn, standIn, rank: 0 });
    }
    for (const { at, offset } of encodedKeysIn(text)) found.push(...runs.at(at, offset));
    return found;
  }

  #plainly(text: string, { start, end, standIn, form, aligned, exact }: Sighting, runs: Runs): Found {
    const [run] = aligned === undefined ? [] : runs.at(aligned.at, aligned.offset);
    if (run !== undefined) return run;
    if (exact) {
      const put = form === 'base64' ? encodedStandIn(standIn, false) : standIn;
      return { start, end, put, standIn, rank: 2 };
    }
    const spelledAs = form === 'plain' ? 'part' : form;
    return { start, end, put: this.#secrets.spelled(standIn, spelledAs, text.slice(start, end)), standIn, rank: 1 };
  }
}

/** Base64 substrings of a text, each decoded once. */
class Runs {
  readonly #text: string;
  readonly #hide: (decoded: string) => string;
  /** The run that was decoded last: its end, the phase of its groups, and the match. */
  #last: { readonly end: number; readonly phase: number; readonly found: readonly Found[] } | undefined;

  constructor(text: string, hide: (decoded: string) => string) {
    this.#text = text;
    this.#hide = hide;
  }

  /**
   * Returns a match for the base64 run around characters of a secret, encoded again without the secret; empty if the run
   * contains none.
   */
  at(at: number, offset: Offset): readonly Found[] {
    const phase = groupPhase(at, offset);
    if (this.#last !== undefined && at < this.#last.end && phase === this.#last.phase) return this.#last.found;
    const run = base64RunAt(this.#text, at, offset);
    const hidden = run === undefined ? undefined : this.#hide(run.decoded);
    const found =
      run === undefined || hidden === undefined || hidden === run.decoded
        ? []
        : [{ start: run.start, end: run.end, put: run.encode(hidden), standIn: undefined, rank: 3 }];
    this.#last = { end: run?.end ?? stretchEnd(this.#text, at), phase, found };
    return found;
  }
}
