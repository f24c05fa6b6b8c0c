/**
 * Conversion of custom resources by a webhook.
 *
 * Owns: `ConversionReview` requests, parsing of the answers, and the cache of conversions. Mirrors apiextensions-apiserver
 * `pkg/apiserver/conversion/webhook_converter.go`. A request that needs an unknown conversion is interrupted by {@link ConversionNeeded},
 * gets the answer, and starts again. Start at {@link Converter.convert}.
 */
import { isList, isMap, textOf, textsOf } from '../../objects/json.ts';
import { type JsonObject, type JsonValue, type KubeObject, parseApiVersion } from '../../objects/object.ts';
import type { CallOutAnswer } from '../admission/call-out.ts';
import { bodyOf } from '../admission/response.ts';

/** Thrown when a conversion is missing. The request is tried again once the webhook has answered. */
export class ConversionNeeded extends Error {
  /** The identity of the call: equal calls have equal keys. */
  readonly key: string;
  /** `clientConfig` of the webhook. */
  readonly clientConfig: JsonObject;
  readonly review: (uid: string) => JsonObject;
  /** Receives the answer; afterwards the conversion is known, or known to fail. */
  readonly accept: (url: string, uid: string, answer: CallOutAnswer) => void;

  constructor(from: Pick<ConversionNeeded, 'key' | 'clientConfig' | 'review' | 'accept'>) {
    super('a conversion is needed first');
    this.key = from.key;
    this.clientConfig = from.clientConfig;
    this.review = from.review;
    this.accept = from.accept;
  }
}

/** Thrown for a failed conversion. */
export class ConversionFailed extends Error {}

/** The maximum number of conversions that are cached by content; one request needs far fewer. */
const REMEMBERED_MAX = 2_000;
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
/** The limit of client-go's webhook clients. */
export const CONVERSION_TIMEOUT_SECONDS = 30;

export class Converter {
  readonly #clientConfig: JsonObject;
  readonly #reviewVersion: string | undefined;
  /** Conversions by version and stored object: most conversions are of stored objects. */
  readonly #known = new Map<string, WeakMap<KubeObject, KubeObject>>();
  /** Conversions by content, without the metadata that webhooks cannot change, so that a new resource version needs no new conversion. */
  readonly #byContent = new Map<string, KubeObject | ConversionFailed>();

  /** `webhook`: spec.conversion.webhook of a definition. */
  constructor(webhook: JsonObject) {
    this.#clientConfig = isMap(webhook['clientConfig']) ? webhook['clientConfig'] : {};
    this.#reviewVersion = textsOf(webhook['conversionReviewVersions']).find((one) => REVIEW_VERSIONS.includes(one));
  }

  /**
   * Returns the object in another version.
   *
   * @throws {ConversionNeeded} when the webhook has to be called first.
   * @throws {ConversionFailed} when the call failed, or the webhook refused.
   */
  convert(object: KubeObject, to: string): KubeObject {
    if (object.apiVersion === to) return object;
    const known = this.#lookUp(object, to);
    if (known === undefined) throw this.#needed([object], to);
    return known;
  }

  /** Ensures that all conversions are known: one call for the missing ones. Throws as {@link convert} does. */
  prepare(objects: readonly KubeObject[], to: string): void {
    const missing = objects.filter((object) => object.apiVersion !== to && this.#lookUp(object, to) === undefined);
    if (missing.length > 0) throw this.#needed(missing, to);
  }

  #lookUp(object: KubeObject, to: string): KubeObject | undefined {
    let known = this.#known.get(to);
    if (known === undefined) this.#known.set(to, (known = new WeakMap()));
    const converted = known.get(object);
    if (converted !== undefined) return converted;
    const key = contentKey(object, to);
    const found = this.#byContent.get(key);
    if (found === undefined) return undefined;
    if (found instanceof ConversionFailed) {
      // The failure applies only to this run; the next request calls the webhook again.
      this.#byContent.delete(key);
      throw found;
    }
    const restored = withMetadataOf(object, found);
    known.set(object, restored);
    return restored;
  }

  #needed(objects: readonly KubeObject[], to: string): ConversionNeeded {
    const version = this.#reviewVersion ?? 'v1';
    const keys = objects.map((object) => contentKey(object, to));
    return new ConversionNeeded({
      key: JSON.stringify(keys),
      clientConfig: this.#clientConfig,
      review: (uid) => ({
        kind: 'ConversionReview',
        apiVersion: `apiextensions.k8s.io/${version}`,
        request: { uid, desiredAPIVersion: to, objects },
      }),
      accept: (url, uid, answer) => {
        if (this.#byContent.size + keys.length > REMEMBERED_MAX) this.#byContent.clear();
        const converted =
          this.#reviewVersion === undefined ? NO_VERSION : convertedBy(url, answer, version, uid, objects, to);
        for (const [index, key] of keys.entries())
          this.#byContent.set(
            key,
            typeof converted === 'string'
              ? new ConversionFailed(converted)
              : (converted[index] ?? new ConversionFailed('a conversion is missing')),
          );
      },
    });
  }
}

const NO_VERSION = 'no supported conversion review versions';

/** Returns the cache key: everything but server-managed metadata. */
function contentKey(object: KubeObject, to: string): string {
  const { resourceVersion: _, managedFields: __, generation: ___, ...metadata } = object.metadata;
  return `${to} ${JSON.stringify({ ...object, metadata })}`;
}

/** Returns the converted object with the original's metadata, of which a webhook can only change labels and annotations. */
function withMetadataOf(original: KubeObject, converted: KubeObject): KubeObject {
  const { labels: _, annotations: __, ...kept } = original.metadata;
  const { labels, annotations } = converted.metadata;
  const metadata = {
    ...kept,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return { ...converted, metadata };
}

/** Returns the converted objects, or an error. */
function convertedBy(
  url: string,
  answer: CallOutAnswer,
  version: string,
  uid: string,
  objects: readonly KubeObject[],
  to: string,
): readonly KubeObject[] | string {
  const [first] = objects;
  const about = `conversion webhook for ${first === undefined ? '' : goKind(first.apiVersion, first.kind)}`;
  const review = bodyOf(url, answer);
  if (typeof review === 'string') return `${about} failed: ${review}`;
  const expected = `apiextensions.k8s.io/${version}`;
  const given = textOf(review['apiVersion']);
  if (version === 'v1' && (given !== expected || review['kind'] !== 'ConversionReview'))
    return `${about} failed: expected webhook response of ${goKind(expected, 'ConversionReview')}, got ${goKind(given, textOf(review['kind']))}`;
  const response = review['response'];
  if (!isMap(response)) return `${about} failed: no response provided`;
  if (version === 'v1' && response['uid'] !== uid)
    return `${about} failed: expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(textOf(response['uid']))}`;
  const result = isMap(response['result']) ? response['result'] : {};
  if (result['status'] !== 'Success')
    return `${about} failed: ${textOf(result['message']) || `response.result.status was '${textOf(result['status'])}', not 'Success'`}`;
  const converted = isList(response['convertedObjects']) ? response['convertedObjects'] : [];
  if (converted.length !== objects.length)
    return `${about} returned ${converted.length} objects, expected ${objects.length}`;
  for (const [index, object] of objects.entries()) {
    const problem = convertedProblem(object, converted[index], to);
    if (problem !== undefined) return `${about} returned ${problem}`;
  }
  return converted as readonly KubeObject[];
}

function convertedProblem(original: KubeObject, converted: JsonValue | undefined, to: string): string | undefined {
  if (!isMap(converted)) return 'invalid object: it is no map';
  const version = textOf(converted['apiVersion']);
  const { group, version: name } = parseApiVersion(to);
  if (version !== to)
    return `invalid object at index 0: invalid groupVersion (expected ${group}/${name}, received ${version})`;
  const kind = textOf(converted['kind']);
  if (kind !== original.kind)
    return `invalid object at index 0: invalid kind (expected ${original.kind}, received ${kind})`;
  const metadata = converted['metadata'];
  const given: JsonObject = isMap(metadata) ? metadata : {};
  for (const [field, words] of SAME)
    if (textOf(given[field]) !== (original.metadata[field] ?? ''))
      return `invalid object: must have the same ${words}: ${original.metadata[field] ?? ''} != ${textOf(given[field])}`;
  return isMap(metadata) ? undefined : 'invalid metadata: missing metadata in converted object';
}

const SAME = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

/** Returns a kind as Go prints it. */
function goKind(apiVersion: string, kind: string): string {
  return `${apiVersion === '' ? '/' : apiVersion}, Kind=${kind}`;
}
