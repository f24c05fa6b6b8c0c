/**
 * Differences between the recordings of two servers that are meant, each with its reason. What matches no entry fails the comparison.
 */

/** What only one server's recording has. */
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
    reason:
      'how soon the garbage collector lets go of what is deleted in the foreground or orphaned is a matter of time',
    step: /delete deployment \w+ --cascade=/,
    request: /^GET /,
    fact: /^answer (?:200|404)|^the request$/,
  },
  {
    reason:
      'whether a controller writes what it read before the garbage collector, or itself, wrote is a matter of time',
    client: /^(?:go|java|python|rust|typescript.*)$/,
    request: /^(?:PUT|PATCH) /,
    fact: /^answer 409 /,
  },
  {
    reason: 'whether a controller looks once more after the write that ended an object, or not, is a matter of time',
    client: /^(?:go|java|python|rust|typescript.*)$/,
    request: /^(?:PUT|PATCH|DELETE) /,
    fact: /^answer 404 /,
  },
  {
    reason: 'a typed bookmark is an empty object of its kind, and Go writes those of its fields that it never omits',
    side: 'real',
    fact: /^BOOKMARK initial events end (?:spec|status)\b/,
  },
  {
    reason: 'the Service of the server is made at boot, before there are owners',
    side: 'real',
    fact: /\[kube-apiserver\]/,
  },
  {
    reason: 'the definitions of a run are installed at boot here, and by a request there',
    request: /^GET .*\/customresourcedefinitions/,
    fact: /managedFields\[(?:kube-apiserver|unknown)\]/,
  },
  {
    reason: 'reviews are not stored and track no owners (DIFFERENCES.md)',
    request: /^POST \/apis\/auth\S+reviews |\/token /,
    fact: /^metadata(?:=|\.managedFields)/,
  },
  { reason: 'the audience is the issuer, and each server has its own', request: /\/token /, fact: /^spec\.audiences/ },
  { reason: "the administrator's name is the server's choice", fact: /userInfo\.(?:username|uid)=|^(?:Username|UID) / },
  {
    reason: 'OpenAPI 2 comes as JSON only (DIFFERENCES.md)',
    request: /^GET \/openapi\/v2\?.*protobuf/,
    fact: /^answer (?:406|200|304)/,
  },
];

/** Why it is meant; undefined when nothing says so. */
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
