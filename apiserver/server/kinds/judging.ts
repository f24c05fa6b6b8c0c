/**
 * How often, and by which rules, each built-in kind validates metadata, as observed on a real server (k8s.io/kubernetes
 * `pkg/apis/<group>/validation`).
 */
import type { MetadataValidation } from '../definition.ts';

/** The metadata validation of most kinds: creates and updates are validated by the rules of the core group. */
const USUAL: MetadataValidation = { create: 'core', update: ['core-change'], status: ['core-change'] };
/** An update is validated as an update, and then as a create. */
const TWICE: MetadataValidation = { ...USUAL, update: ['core', 'core-change'] };
/** An update is validated as a create. */
const AS_NEW: MetadataValidation = { create: 'core', update: ['core'], status: [] };
const PLAIN_AS_NEW: MetadataValidation = { create: 'plain', update: ['plain'], status: [] };
const PLAIN: MetadataValidation = { create: 'plain', update: ['change'], status: ['change'] };
const PLAIN_TWICE: MetadataValidation = { ...PLAIN, update: ['plain', 'change'] };
const NOTHING: MetadataValidation = { create: 'none', update: [], status: [] };
const SIGNING: MetadataValidation = { ...TWICE, status: ['core', 'core-change'] };

function all(metadataValidation: MetadataValidation, resources: string): { readonly [gr: string]: MetadataValidation } {
  return Object.fromEntries(resources.split(' ').map((gr) => [gr, metadataValidation]));
}

const JUDGING: { readonly [gr: string]: MetadataValidation } = {
  ...all(
    TWICE,
    'configmaps secrets pods serviceaccounts endpoints persistentvolumeclaims namespaces nodes controllerrevisions.apps jobs.batch',
  ),
  ...all(
    TWICE,
    'ingresses.networking.k8s.io ingressclasses.networking.k8s.io ipaddresses.networking.k8s.io roles.rbac.authorization.k8s.io',
  ),
  ...all(
    TWICE,
    'rolebindings.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io clusterrolebindings.rbac.authorization.k8s.io',
  ),
  ...all(
    TWICE,
    'storageclasses.storage.k8s.io csistoragecapacities.storage.k8s.io volumeattributesclasses.storage.k8s.io',
  ),
  ...all(TWICE, 'deviceclasses.resource.k8s.io resourceclaims.resource.k8s.io resourceclaimtemplates.resource.k8s.io'),
  persistentvolumes: { ...USUAL, update: ['core', 'core'] },
  'certificatesigningrequests.certificates.k8s.io': SIGNING,
  ...all(
    AS_NEW,
    'limitranges endpointslices.discovery.k8s.io csinodes.storage.k8s.io volumeattachments.storage.k8s.io flowschemas.flowcontrol.apiserver.k8s.io prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  ),
  'cronjobs.batch': { ...USUAL, status: [] },
  'leases.coordination.k8s.io': PLAIN,
  'customresourcedefinitions.apiextensions.k8s.io': PLAIN,
  'runtimeclasses.node.k8s.io': PLAIN_TWICE,
  'apiservices.apiregistration.k8s.io': PLAIN_TWICE,
  ...all(
    PLAIN_AS_NEW,
    ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations', 'mutatingadmissionpolicies']
      .concat(['mutatingadmissionpolicybindings', 'validatingadmissionpolicies', 'validatingadmissionpolicybindings'])
      .map((resource) => `${resource}.admissionregistration.k8s.io`)
      .join(' '),
  ),
  'poddisruptionbudgets.policy': NOTHING,
  events: NOTHING,
};

/** Returns how a kind validates metadata. `events.events.k8s.io` and `events` differ, although they are stored together. */
export function metadataValidationOf(gr: string): MetadataValidation {
  return JUDGING[gr] ?? USUAL;
}
