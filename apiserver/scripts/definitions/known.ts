/**
 * Known differences: each with the phrase of apiserver/DIFFERENCES.md that documents it (a test checks that the phrase exists). Any other
 * difference makes the comparison fail.
 */
import { plain } from '../../fidelity/differential/compare.ts';
import { isList, sortedKeys } from '../../objects/json.ts';
import type { JsonValue } from '../../objects/object.ts';
import type { Difference } from './difference.ts';

export interface KnownDifference {
  readonly reason: string;
  /** A phrase of apiserver/DIFFERENCES.md. */
  readonly documented: string;
  readonly matches: (difference: Difference) => boolean;
}

const MESSAGE = /^body\.(message|details\.causes\[\]\.message)$/;

/** Kinds that have no validation beyond their Go types. */
const BY_TYPES =
  /^\S+ (APIService|IngressClass|CSIDriver|CSINode|CSIStorageCapacity|DeviceClass|ResourceClaim|ResourceClaimTemplate|ResourceSlice|FlowSchema|PriorityLevelConfiguration|ServiceAccount) /;

export const KNOWN: readonly KnownDifference[] = [
  {
    reason: "writes of the server's own controllers to a definition have no owner",
    documented: 'The status of a definition has no owner',
    matches: ({ step, path, ours, real }) =>
      step === 'definition, established' &&
      path === 'body.metadata.managedFields.length' &&
      isList(ours) &&
      isList(real) &&
      without(real, ours).every(
        (one) => one.includes('"manager":"kube-apiserver"') && one.includes('"subresource":"status"'),
      ),
  },
  {
    reason:
      'the server warns of formats that it does not know, and of fields of built-in kinds that are on their way out',
    documented: 'Warnings about fields of built-in kinds',
    matches: ({ path, ours, real }) =>
      path === 'warnings.length' &&
      isList(ours) &&
      isList(real) &&
      without(ours, real).length === 0 &&
      without(real, ours).every((one) => !/ (unknown|duplicate) field /.test(one)),
  },
  {
    reason: 'a real server appends the diff, printed from its internal types',
    documented: 'lacks the diff that follows the real message',
    matches: ({ path, ours, real }) => MESSAGE.test(path) && plain(real).startsWith(`${plain(ours)}\n@@`),
  },
  {
    reason: 'a real server prints an immutable template from its internal type',
    documented: 'shows the template as it is written',
    matches: ({ path, ours, real }) =>
      MESSAGE.test(path) &&
      /\{\\?"(Spec\\?":\{\\?")?Volumes\\?":/.test(plain(real)) &&
      template(ours) === template(real),
  },
  {
    reason: 'a patch can leave an empty map, which in Go differs from an absent one',
    documented: 'A 422 quotes a map that a patch has emptied',
    matches: ({ path, ours, real }) =>
      MESSAGE.test(path) && plain(real).replace('Invalid value: {}', 'Invalid value: null') === plain(ours),
  },
  {
    reason: 'an empty list is dropped on decoding; in Go it differs from an absent one',
    documented: 'A 422 that quotes the security context of a container',
    matches: ({ path, ours, real }) =>
      MESSAGE.test(path) &&
      /securityContext|"Capabilities\\?":/.test(plain(real)) &&
      plain(real).replaceAll(/"(Add|Drop)(\\?)":\[\]/g, '"$1$2":null') === plain(ours),
  },
  {
    reason: 'Go prints maps with sorted keys, and uids are numbered in order of appearance',
    documented: 'Maps keep the key order they were written with',
    matches: ({ path, ours, real }) => MESSAGE.test(path) && sortedValue(ours) === sortedValue(real),
  },
  {
    reason: 'an apply walks a Go map and stops at the first unknown field, in random order',
    documented: "a real server's order varies from run to run",
    matches: ({ path, ours, real, answers }) =>
      path === 'body.message' &&
      answers.real === '500 ' &&
      /field not declared in schema/.test(plain(real)) &&
      /field not declared in schema/.test(plain(ours)),
  },
  {
    reason: 'the default target of a v1 autoscaler is set in the conversion to the storage version',
    documented: 'The default target of an autoscaler',
    matches: ({ object, path, ours, real }) =>
      /HorizontalPodAutoscaler/.test(object) &&
      ((path.endsWith('f:targetCPUUtilizationPercentage') && ours === undefined) ||
        (MESSAGE.test(path) &&
          plain(real).replace(/,?\\*"f:targetCPUUtilizationPercentage\\*":\{\}/, '') === plain(ours))),
  },
  {
    reason: 'a real server sets the requester of a certificate, and rejects changes of the request',
    documented: 'Certificate signing requests do not say',
    matches: ({ object }) => object.includes(' CertificateSigningRequest '),
  },
  {
    reason: 'a real server synchronises annotations and fields about AppArmor',
    documented: 'Annotations about AppArmor',
    matches: ({ object, real }) =>
      object.startsWith('v1 Pod ') &&
      /appArmorProfile|container\.apparmor\.security/.test(JSON.stringify(real ?? null)),
  },
  {
    reason: 'a real server prints a schema from its internal type',
    documented: 'A 422 that quotes a whole schema',
    matches: ({ path, step, real }) =>
      MESSAGE.test(path) && step.startsWith('define') && /\{\\*"OpenAPIV3Schema\\*":\{\\*"ID\\*"/.test(plain(real)),
  },
  {
    reason: 'node ports are random, and a message may contain a duplicate',
    documented: '**Cluster addresses and node ports** are the lowest free ones',
    matches: ({ object, path, ours, real }) =>
      object.startsWith('v1 Service ') &&
      (MESSAGE.test(path) || path === 'body.details.causes.length') &&
      withoutDrawnPorts(ours) === withoutDrawnPorts(real),
  },
  {
    reason: 'messages truncate patches',
    documented: 'a message shows 64 KiB of a patch',
    matches: ({ path, ours, real }) => MESSAGE.test(path) && isCutShort(plain(ours), plain(real)),
  },
  {
    reason: 'a repeated empty list increments the generation where it is compared with its stored form',
    documented: 'An empty list that a NetworkPolicy is applied or replaced with',
    matches: ({ object, path, ours, real }) =>
      object.startsWith('networking.k8s.io/v1 NetworkPolicy ') &&
      (/^body\.metadata\.(generation|resourceVersion)$/.test(path) ||
        (MESSAGE.test(path) && withoutGeneration(ours) === withoutGeneration(real))),
  },
  {
    reason: 'a null in the data of a Secret becomes an empty string, which is stored as null again',
    documented: 'A null among the data of a Secret',
    matches: ({ object, path }) => object.startsWith('v1 Secret ') && path === 'body.metadata.resourceVersion',
  },
  {
    reason: 'a service that becomes an ExternalName keeps unused fields in the store',
    documented: 'A service that becomes an `ExternalName` loses',
    matches: ({ object, path }) => object.startsWith('v1 Service ') && path.endsWith('internalTrafficPolicy'),
  },
  {
    reason: 'these kinds are only validated by their types',
    documented: 'are validated by their types and metadata only',
    matches: ({ object, answers }) =>
      BY_TYPES.test(object) && /^20[01]$/.test(answers.ours) && answers.real === '422 Invalid',
  },
];

const withoutDrawnPorts = (value: JsonValue | undefined): string =>
  JSON.stringify(value ?? null).replaceAll(/(Duplicate value: )\d+/g, '$1PORT');

const withoutGeneration = (value: JsonValue | undefined): string =>
  plain(value).replaceAll(/(generation\\*":)\d+/g, '$1N');

/** Reports whether `ours` is the message `real` with its middle left out. */
function isCutShort(ours: string, real: string): boolean {
  const at = ours.lastIndexOf('…');
  return at > SHOWN_MIN && real.startsWith(ours.slice(0, at)) && real.endsWith(ours.slice(at + '…"'.length));
}

/** The minimum length of a text that a server truncates. */
const SHOWN_MIN = 60_000;

/** Returns the texts of `some` that are missing in `others`; repeated texts count separately. */
function without(some: readonly JsonValue[], others: readonly JsonValue[]): readonly string[] {
  const left = others.map((one) => JSON.stringify(one));
  return some
    .map((one) => JSON.stringify(one))
    .filter((one) => {
      const at = left.indexOf(one);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
}

/** Returns an error message with sorted keys in the value that it quotes, and with `uid` in place of every uid. */
function sortedValue(message: JsonValue | undefined): string {
  const text = plain(message).replaceAll(/uid-\d+/g, 'uid');
  return text.replace(/Invalid value: (\{.*\}): /s, (whole, value: string) => {
    try {
      return `Invalid value: ${JSON.stringify(sortedKeys(JSON.parse(value) as JsonValue))}: `;
    } catch {
      return whole;
    }
  });
}

/** Returns the error message about an immutable pod template, without the template itself. */
function template(message: JsonValue | undefined): string {
  return plain(message).replace(
    /Invalid value: \{.*\}: field is immutable/s,
    'Invalid value: TEMPLATE: field is immutable',
  );
}

export function isKnown(difference: Difference): boolean {
  return KNOWN.some(({ matches }) => matches(difference));
}
