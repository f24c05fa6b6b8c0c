/** Defaults of networking, access, storage, admission and device kinds (k8s.io/kubernetes `pkg/apis`). */
import { isList } from '../../../objects/json.ts';
import type { JsonObject } from '../../../objects/object.ts';
import { fill, inMap } from '../fill.ts';
import { filling, inMade, type Defaulting, type Defaults } from './rules.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

const roleRef: Defaulting = (map) =>
  map['apiGroup'] === '' ? { ...map, apiGroup: RBAC_GROUP } : fill(map, { apiGroup: RBAC_GROUP });

const subject: Defaulting = (map) =>
  map['kind'] === 'User' || map['kind'] === 'Group' ? fill(map, { apiGroup: RBAC_GROUP }) : map;

const networkPolicy: Defaulting = (map) =>
  inMade(map, 'spec', (spec) => {
    const { policyTypes, egress } = spec;
    if (isList(policyTypes) && policyTypes.length > 0) return spec;
    return { ...spec, policyTypes: isList(egress) && egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'] };
  });

const HOOK: JsonObject = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

const limited: Defaulting = (map) =>
  inMade(fill(map, { nominalConcurrencyShares: 30, lendablePercent: 0 }), 'limitResponse', (response) => response);

const deviceRequest: Defaulting = (map) => {
  const filled = fill(map, { allocationMode: 'ExactCount' });
  return filled['allocationMode'] === 'ExactCount' ? fill(filled, { count: 1 }) : filled;
};

/** Defaulting rules by Go type. */
export const OTHER_DEFAULTS: Defaults = {
  'admissionregistration/v1.MatchResources': filling({
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
  }),
  'admissionregistration/v1.MutatingAdmissionPolicySpec': filling({ failurePolicy: 'Fail' }),
  'admissionregistration/v1.MutatingWebhook': filling({ ...HOOK, reinvocationPolicy: 'Never' }),
  'admissionregistration/v1.NamedRuleWithOperations': filling({ scope: '*' }),
  'admissionregistration/v1.RuleWithOperations': filling({ scope: '*' }),
  'admissionregistration/v1.ServiceReference': filling({ port: 443 }),
  'admissionregistration/v1.ValidatingAdmissionPolicySpec': filling({ failurePolicy: 'Fail' }),
  'admissionregistration/v1.ValidatingWebhook': filling(HOOK),
  'apiregistration/v1.ServiceReference': filling({ port: 443 }),
  'discovery/v1.EndpointPort': filling({ name: '', protocol: 'TCP' }),
  'flowcontrol/v1.ExemptPriorityLevelConfiguration': filling({ nominalConcurrencyShares: 0, lendablePercent: 0 }),
  'flowcontrol/v1.FlowSchemaSpec': (map) =>
    map['matchingPrecedence'] === 0 ? { ...map, matchingPrecedence: 1000 } : fill(map, { matchingPrecedence: 1000 }),
  'flowcontrol/v1.LimitedPriorityLevelConfiguration': limited,
  'flowcontrol/v1.QueuingConfiguration': filling({ handSize: 8, queues: 64, queueLengthLimit: 50 }),
  'networking/v1.IngressClass': (map) =>
    inMap(map, 'spec', (spec) => inMap(spec, 'parameters', filling({ scope: 'Cluster' }))),
  'networking/v1.NetworkPolicy': networkPolicy,
  'networking/v1.NetworkPolicyPort': filling({ protocol: 'TCP' }),
  'rbac/v1.RoleRef': roleRef,
  'rbac/v1.Subject': subject,
  'resource/v1.DeviceSubRequest': deviceRequest,
  'resource/v1.DeviceToleration': filling({ operator: 'Equal' }),
  'resource/v1.ExactDeviceRequest': deviceRequest,
  'scheduling/v1.PriorityClass': filling({ preemptionPolicy: 'PreemptLowerPriority' }),
  'storage/v1.CSIDriver': (map) =>
    inMade(
      map,
      'spec',
      filling({
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        volumeLifecycleModes: ['Persistent'],
        requiresRepublish: false,
        seLinuxMount: false,
      }),
    ),
  'storage/v1.StorageClass': filling({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
};
