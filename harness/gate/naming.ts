/**
 * Canonical names and occurrence numbers: how the gate spells labels that survive another run and a harmless edit.
 *
 * An object that somebody named keeps its name. An object with a generated name is called `owner/role~n`: its controlling owner's
 * name, the generateName without the owner's prefix, and the order of creation among those.
 */
import type { JsonObject, JsonValue, KubeObject } from '../model/object.ts';
import type { Label } from '../model/label.ts';

export class Naming {
  /** Canonical name by uid. */
  readonly byUid: Map<string, string> = new Map();
  readonly #realByCanonical = new Map<string, string>();
  readonly #canonicalByReal = new Map<string, string>();
  readonly #generated = new Map<string, number>();
  #occurrences = new Map<Label, number>();

  /** Starts the occurrence numbers anew: contention begins. */
  restartNumbers(): void {
    this.#occurrences = new Map();
  }

  /** The label with its number: `#0`, `#1`, … */
  number(label: Label): Label {
    const n = this.#occurrences.get(label) ?? 0;
    this.#occurrences.set(label, n + 1);
    return `${label}#${n}`;
  }

  /** Canonical name of what a create asks for, before it exists. */
  ofCreate(resource: string, namespace: string, body: JsonValue | undefined): string {
    const metadata = ((body as JsonObject | undefined)?.['metadata'] ?? {}) as KubeObject['metadata'];
    if (metadata.name !== undefined && metadata.name !== '') return this.canonical(resource, namespace, metadata.name);
    const owner = metadata.ownerReferences?.find((reference) => reference.controller === true);
    let role = (metadata.generateName ?? '').replace(/-+$/, '');
    let prefix = '';
    if (owner !== undefined) {
      prefix = `${owner.name}/`;
      if (role.startsWith(`${owner.name}-`)) role = role.slice(owner.name.length + 1);
      else if (role === owner.name) role = '';
    }
    const key = `${resource}/${namespace}/${prefix}${role}`;
    const n = this.#generated.get(key) ?? 0;
    this.#generated.set(key, n + 1);
    return `${prefix}${role}~${n}`;
  }

  /** Learns that the object exists. `asked` is the canonical name given to its create. */
  learn(resource: string, object: KubeObject, asked: string | undefined): void {
    const name = object.metadata.name ?? '';
    const canonical = asked ?? name;
    if (object.metadata.uid !== undefined) this.byUid.set(object.metadata.uid, canonical);
    if (canonical !== name) {
      const place = `${resource}/${object.metadata.namespace ?? ''}/`;
      this.#realByCanonical.set(place + canonical, name);
      this.#canonicalByReal.set(place + name, canonical);
    }
  }

  /** Canonical name of a real one. */
  canonical(resource: string, namespace: string, name: string): string {
    if (this.#canonicalByReal.size === 0) return name;
    return this.#canonicalByReal.get(`${resource}/${namespace}/${name}`) ?? name;
  }

  /** Real name of a canonical one: itself unless generated. */
  real(resource: string, namespace: string, canonical: string): string {
    return this.#realByCanonical.get(`${resource}/${namespace}/${canonical}`) ?? canonical;
  }
}
