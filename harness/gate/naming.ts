/**
 * Canonical names and occurrence numbers: how the gate builds labels that stay the same in another run and after a harmless edit of the
 * target.
 *
 * An object with a given name keeps it. An object with a generated name is called `owner/role~n`: the name of its controlling or only
 * owner, the generateName without the owner's prefix, and its position in order of creation. The same applies to objects whose names the
 * target itself generates at random.
 */
import { parentOf, type JsonObject, type JsonValue, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { Label } from '../model/label.ts';
import type { DrawnNames } from '../model/reference.ts';

/** Matches `20260102150405`, with or without seconds, or seconds, ms, µs or ns since 1970, as part of a name. */
const TIME_IN_NAME =
  /(?<![\da-z])(?:20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?|1[6-9]\d{8}(?:\d{3}){0,3})(?![\da-z])/;

export class Naming {
  /** Canonical names in labels, by uid. */
  readonly byUid: Map<string, string> = new Map();
  /** Names with their namespace, by uid, for names that the target uses in several namespaces. */
  readonly #placed = new Map<string, string>();
  readonly #shared: ReadonlySet<string>;
  readonly #realByCanonical = new Map<string, string>();
  readonly #canonicalByReal = new Map<string, string>();
  readonly #generated = new Map<string, number>();
  /** Canonical names of objects whose names the target generated, by real name: the canonical names of their children begin with them. */
  readonly #drawnOwners = new Map<string, string>();
  readonly #drawn: DrawnNames;
  #occurrences = new Map<Label, number>();

  /**
   * @param drawn - Names that the target generates at random: these objects are numbered by order of creation too.
   * @param shared - Names that the target uses in several namespaces, as `resource/name`.
   */
  constructor(drawn: DrawnNames = {}, shared: readonly string[] = []) {
    this.#drawn = drawn;
    this.#shared = new Set(shared);
  }

  /** Returns the names of a history, by uid. */
  names(): { readonly [uid: string]: string } {
    const names = Object.fromEntries(this.byUid);
    for (const [uid, name] of this.#placed) names[uid] = name;
    return names;
  }

  /** Restarts the occurrence numbers when contention begins. */
  restartNumbers(): void {
    this.#occurrences = new Map();
  }

  /** Returns the label with its next occurrence number: `#0`, `#1`, … */
  number(label: Label): Label {
    const n = this.#occurrences.get(label) ?? 0;
    this.#occurrences.set(label, n + 1);
    return `${label}#${n}`;
  }

  /**
   * Returns the canonical name for a create, before the object exists. A given name can count as generated only if the target sends the
   * create.
   */
  ofCreate(resource: string, namespace: string, body: JsonValue | undefined, byTarget: boolean): string {
    const metadata = ((body as JsonObject | undefined)?.['metadata'] ?? {}) as KubeObject['metadata'];
    const { name = '', generateName = '' } = metadata;
    if (name === '') return this.#next(resource, namespace, generateName, metadata);
    const known = this.canonical(resource, namespace, name);
    const stem = byTarget && known === name ? this.#stemOf(resource, name) : undefined;
    if (stem === undefined) return known;
    const canonical = this.#next(resource, namespace, stem, metadata);
    this.#drawnOwners.set(name, canonical);
    // A retry after a lost answer has to get the same canonical name.
    this.#register(`${resource}/${namespace}/`, name, canonical);
    return canonical;
  }

  /** Returns the prefix of a name that the target generated; undefined for a name that it would use in every run. */
  #stemOf(resource: string, name: string): string | undefined {
    const drawn = this.#drawn[resource];
    if (drawn?.kept.includes(name) === true) return undefined;
    // Checked before times: a random number may look like a time, and this object would then be named differently from its siblings.
    const stem = drawn?.stems.find((one) => name.startsWith(one) && name.length > one.length);
    if (stem !== undefined) return stem;
    // A name that contains its creation time is different a second later.
    const time = TIME_IN_NAME.exec(name);
    return time === null ? undefined : name.slice(0, time.index);
  }

  #next(resource: string, namespace: string, stem: string, metadata: KubeObject['metadata']): string {
    const owner = parentOf({ metadata });
    let role = stem.replace(/-+$/, '');
    let prefix = '';
    if (owner !== undefined) {
      prefix = `${this.#drawnOwners.get(owner.name) ?? owner.name}/`;
      if (role.startsWith(`${owner.name}-`)) role = role.slice(owner.name.length + 1);
      else if (role === owner.name) role = '';
    }
    const key = `${resource}/${namespace}/${prefix}${role}`;
    const n = this.#generated.get(key) ?? 0;
    this.#generated.set(key, n + 1);
    return `${prefix}${role}~${n}`;
  }

  /** Registers an object. `asked` is the canonical name that its create request was given. */
  learn(resource: string, object: KubeObject, asked: string | undefined): void {
    const { name = '', namespace = '', uid } = object.metadata;
    const canonical = asked ?? name;
    if (uid !== undefined) this.byUid.set(uid, canonical);
    if (canonical === name) this.place(resource, object);
    else this.#register(`${resource}/${namespace}/`, name, canonical);
  }

  /** Adds the namespace to the name of an object in histories, if the target uses that name in several namespaces. */
  place(resource: string, { metadata: { name = '', namespace = '', uid } }: KubeObject): void {
    if (this.#shared.size === 0) return;
    const isGiven = uid !== undefined && (this.byUid.get(uid) ?? name) === name;
    if (isGiven && namespace !== '' && this.#shared.has(`${resource}/${name}`))
      this.#placed.set(uid, `${namespace}/${name}`);
  }

  #register(place: string, name: string, canonical: string): void {
    this.#realByCanonical.set(place + canonical, name);
    this.#canonicalByReal.set(place + name, canonical);
  }

  /** Maps a real name to its canonical name. */
  canonical(resource: string, namespace: string, name: string): string {
    if (this.#canonicalByReal.size === 0) return name;
    return this.#canonicalByReal.get(`${resource}/${namespace}/${name}`) ?? name;
  }

  /** Maps a canonical name to the real one; the two differ only for generated names. */
  real(resource: string, namespace: string, canonical: string): string {
    return this.#realByCanonical.get(`${resource}/${namespace}/${canonical}`) ?? canonical;
  }
}
