/** Expected differences between the recordings of two servers, each with its reason. A difference without an entry fails the comparison. */

/** A fact that is only in one server's recording. */
export interface Difference {
  readonly client: string;
  readonly step: string;
  readonly request: string;
  readonly side: 'embedded' | 'real';
  readonly fact: string;
}

export interface Explained {
  readonly reason: string;
  readonly client?: RegExp;
  readonly step?: RegExp;
  readonly request?: RegExp;
  readonly side?: Difference['side'];
  readonly fact?: RegExp;
}

const EXPLAINED: readonly Explained[] = [
  {
    reason: 'the tag of a real server for the index of OpenAPI documents changes from one answer to the next',
    request: /^GET \/openapi\/v3\?/,
    fact: /^answer (?:200|304)/,
  },
  {
    reason: 'when the garbage collector releases an object with foreground or orphan deletion depends on timing',
    step: /delete deployment \w+ --cascade=/,
    request: /^GET /,
    fact: /^answer (?:200|404)|^the request$/,
  },
  {
    reason:
      'whether a controller read an object before a write of the garbage collector, or of its own, depends on timing',
    client: /^(?:go|java|python|rust|typescript.*)$/,
    request: /^(?:PUT|PATCH) /,
    fact: /^answer 409 /,
  },
  {
    reason: 'whether a controller reconciles again after the write that removed an object depends on timing',
    client: /^(?:go|java|python|rust|typescript.*)$/,
    request: /^(?:PUT|PATCH|DELETE) |^GET \S+\/buckets\/\w+ /,
    fact: /^answer 404 /,
  },
  {
    reason: 'a typed bookmark is an empty object of its kind, and Go encodes the fields without omitempty',
    side: 'real',
    fact: /^BOOKMARK initial events end (?:spec|status)\b/,
  },
  {
    reason: 'the embedded server creates its Service at boot, without managedFields',
    side: 'real',
    fact: /\[kube-apiserver\]/,
  },
  {
    reason: 'the embedded server installs CRDs at boot, the real one receives them in a request',
    request: /^GET .*\/customresourcedefinitions/,
    fact: /managedFields\[(?:kube-apiserver|unknown)\]/,
  },
  {
    reason: 'reviews are not stored, and have no managedFields (DIFFERENCES.md)',
    request: /^POST \/apis\/auth\S+reviews |\/token /,
    fact: /^metadata(?:=|\.managedFields)/,
  },
  { reason: 'the audience is the issuer, and each server has its own', request: /\/token /, fact: /^spec\.audiences/ },
  {
    reason: 'each server has its own name for the administrator',
    fact: /userInfo\.(?:username|uid)=|^(?:Username|UID) /,
  },
  {
    reason: 'OpenAPI 2 is served as JSON only (DIFFERENCES.md)',
    request: /^GET \/openapi\/v2\?.*protobuf/,
    fact: /^answer (?:406|200|304)/,
  },
];

/** Returns why a difference is expected; undefined if no entry matches. */
export function reasonOf(difference: Difference): string | undefined {
  const { client, step, request, side, fact } = difference;
  return EXPLAINED.find(
    (one) =>
      (one.client?.test(client) ?? true) &&
      (one.step?.test(step) ?? true) &&
      (one.request?.test(request) ?? true) &&
      (one.side === undefined || one.side === side) &&
      (one.fact?.test(fact) ?? true),
  )?.reason;
}
