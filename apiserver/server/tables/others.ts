/** The cells of configuration, storage, policy and all other kinds. */
import { parseApiVersion, type JsonObject, type JsonValue, type KubeObject } from '../../objects/object.ts';
import { humanDuration, since } from './age.ts';
import { at, count, items, maps, number, text, type Cell } from './reading.ts';
import { age, annotated, between, name, spec, type Printer } from './printer.ts';

const MODES: { readonly [mode: string]: string } = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessModes(modes: JsonValue | undefined): string {
  const asked = items(modes);
  return Object.keys(MODES)
    .filter((mode) => asked.includes(mode))
    .map((mode) => MODES[mode])
    .join(',');
}

function phase(object: KubeObject): string {
  return object.metadata.deletionTimestamp === undefined ? text(at(object, 'status', 'phase')) : 'Terminating';
}

function storageClass(object: KubeObject): string {
  return (
    object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? text(spec(object, 'storageClassName'))
  );
}

function subjects(object: KubeObject): readonly Cell[] {
  const all = maps(object['subjects']);
  const of = (kind: string): readonly JsonObject[] => all.filter((one) => one['kind'] === kind);
  return [
    of('User')
      .map((one) => text(one['name']))
      .join(', '),
    of('Group')
      .map((one) => text(one['name']))
      .join(', '),
    of('ServiceAccount')
      .map((one) => `${text(one['namespace'])}/${text(one['name'])}`)
      .join(', '),
  ];
}

const binding: Printer = (object, now) => [
  name(object),
  `${text(at(object, 'roleRef', 'kind'))}/${text(at(object, 'roleRef', 'name'))}`,
  age(object, now),
  ...subjects(object),
];

function nodeState(node: KubeObject): string {
  const ready = maps(at(node, 'status', 'conditions')).findLast(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return spec(node, 'unschedulable') === true ? `${state},SchedulingDisabled` : state;
}

const ROLE = 'node-role.kubernetes.io/';

function nodeRoles(node: KubeObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    if (key.startsWith(ROLE) && key !== ROLE) roles.add(key.slice(ROLE.length));
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(value);
  }
  return [...roles].toSorted().join(',') || '<none>';
}

function nodeAddress(node: KubeObject, type: string): string {
  const found = maps(at(node, 'status', 'addresses')).find((one) => one['type'] === type);
  return found === undefined ? '<none>' : text(found['address']);
}

const node: Printer = (object, now) => {
  const info = at(object, 'status', 'nodeInfo');
  const architecture = text(at(info, 'architecture'));
  return [
    name(object),
    nodeState(object),
    nodeRoles(object),
    age(object, now),
    text(at(info, 'kubeletVersion')),
    nodeAddress(object, 'InternalIP'),
    nodeAddress(object, 'ExternalIP'),
    text(at(info, 'osImage'), '<unknown>'),
    text(at(info, 'kernelVersion'), '<unknown>') + (architecture === '' ? '' : ` (${architecture})`),
    text(at(info, 'containerRuntimeVersion'), '<unknown>'),
  ];
};

/** Prints events of both groups, whose fields have different names. */
const event: Printer = (object, now) => {
  const newer = parseApiVersion(object.apiVersion).group !== '';
  const about = at(object, newer ? 'regarding' : 'involvedObject');
  const source = at(object, newer ? 'deprecatedSource' : 'source');
  const eventTime = since(object['eventTime'], now);
  const first = at(object, newer ? 'deprecatedFirstTimestamp' : 'firstTimestamp');
  const last = at(object, newer ? 'deprecatedLastTimestamp' : 'lastTimestamp');
  const firstSeen = first === undefined ? eventTime : since(first, now);
  const series = at(object, 'series');
  const kind = text(at(about, 'kind')).toLowerCase();
  const target = text(at(about, 'name'));
  const component = text(at(source, 'component'), text(object[newer ? 'reportingController' : 'reportingComponent']));
  const host = text(at(source, 'host'), text(object['reportingInstance']));
  const seen = number(at(object, newer ? 'deprecatedCount' : 'count'));
  return [
    series === undefined
      ? last === undefined
        ? firstSeen
        : since(last, now)
      : since(at(series, 'lastObservedTime'), now),
    text(object['type']),
    text(object['reason']),
    target === '' ? kind : `${kind}/${target}`,
    text(at(about, 'fieldPath')),
    host === '' ? component : `${component}, ${host}`,
    text(object[newer ? 'note' : 'message']).trim(),
    firstSeen,
    series === undefined ? seen || 1 : number(at(series, 'count')),
    name(object),
  ];
};

function quota(object: KubeObject): readonly Cell[] {
  const hard = at(object, 'status', 'hard');
  const names = typeof hard === 'object' ? Object.keys(hard as JsonObject).toSorted() : [];
  const shown = (limits: boolean): string =>
    names
      .filter((one) => one.startsWith('limits.') === limits)
      .map((one) => `${one}: ${text(at(object, 'status', 'used', one), '0')}/${text(at(hard, one))}`)
      .join(', ');
  return [shown(false), shown(true)];
}

function paramKind(object: KubeObject): string {
  const kind = spec(object, 'paramKind');
  return kind === undefined ? '<unset>' : `${text(at(kind, 'apiVersion'))}/${text(at(kind, 'kind'))}`;
}

function paramRef(object: KubeObject): string {
  const param = text(spec(object, 'paramRef', 'name'));
  return param === '' ? '<unset>' : `${text(spec(object, 'paramRef', 'namespace'), '*')}/${param}`;
}

function requestState(object: KubeObject): string {
  const types = maps(at(object, 'status', 'conditions')).map(({ type }) => type);
  const state = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending';
  const issued = text(at(object, 'status', 'certificate')) === '' ? '' : ',Issued';
  return `${state}${types.includes('Failed') ? ',Failed' : ''}${issued}`;
}

function claimState(object: KubeObject): string {
  const deleted = object.metadata.deletionTimestamp !== undefined;
  const states = deleted ? ['deleted'] : [];
  if (at(object, 'status', 'allocation') !== undefined) {
    states.push('allocated');
    if (count(at(object, 'status', 'reservedFor')) > 0) states.push('reserved');
  } else if (!deleted) states.push('pending');
  return states.join(',');
}

function flag(value: JsonValue | undefined, otherwise = false): boolean {
  return typeof value === 'boolean' ? value : otherwise;
}

/** Printers by resource and group. */
export const OTHERS: { readonly [gr: string]: Printer } = {
  configmaps: between((object) => [count(object['data']) + count(object['binaryData'])]),
  secrets: between((object) => [text(object['type']), count(object['data'])]),
  serviceaccounts: between(() => []),
  namespaces: between((object) => [text(at(object, 'status', 'phase'))]),
  nodes: node,
  events: event,
  'events.events.k8s.io': event,
  persistentvolumes: (object, now) => {
    const claim = spec(object, 'claimRef');
    return [
      name(object),
      text(spec(object, 'capacity', 'storage'), '0'),
      accessModes(spec(object, 'accessModes')),
      text(spec(object, 'persistentVolumeReclaimPolicy')),
      phase(object),
      claim === undefined ? '' : `${text(at(claim, 'namespace'))}/${text(at(claim, 'name'))}`,
      storageClass(object),
      text(spec(object, 'volumeAttributesClassName'), '<unset>'),
      text(at(object, 'status', 'reason')),
      age(object, now),
      text(spec(object, 'volumeMode'), '<unset>'),
    ];
  },
  persistentvolumeclaims: (object, now) => {
    const volume = text(spec(object, 'volumeName'));
    return [
      name(object),
      phase(object),
      volume,
      volume === '' ? '' : text(at(object, 'status', 'capacity', 'storage'), '0'),
      volume === '' ? '' : accessModes(at(object, 'status', 'accessModes')),
      storageClass(object),
      text(spec(object, 'volumeAttributesClassName'), '<unset>'),
      age(object, now),
      text(spec(object, 'volumeMode'), '<unset>'),
    ];
  },
  resourcequotas: between(quota),
  componentstatuses: (object) => {
    const healthy = maps(object['conditions']).find(({ type }) => type === 'Healthy');
    const state = healthy === undefined ? 'Unknown' : healthy['status'] === 'True' ? 'Healthy' : 'Unhealthy';
    return [name(object), state, text(healthy?.['message']), text(healthy?.['error'])];
  },
  'apiservices.apiregistration.k8s.io': between((object) => {
    const service = spec(object, 'service');
    const available = maps(at(object, 'status', 'conditions')).find(({ type }) => type === 'Available');
    const reason = text(available?.['reason']);
    const state = text(available?.['status'], 'Unknown');
    return [
      service === undefined ? 'Local' : `${text(at(service, 'namespace'))}/${text(at(service, 'name'))}`,
      state !== 'True' && reason !== '' ? `${state} (${reason})` : state,
    ];
  }),
  'certificatesigningrequests.certificates.k8s.io': (object, now) => {
    const seconds = spec(object, 'expirationSeconds');
    return [
      name(object),
      age(object, now),
      text(spec(object, 'signerName'), '<none>'),
      text(spec(object, 'username')),
      typeof seconds === 'number' ? humanDuration(seconds * 1000) : '<none>',
      requestState(object),
    ];
  },
  'clusterrolebindings.rbac.authorization.k8s.io': binding,
  'rolebindings.rbac.authorization.k8s.io': binding,
  'csidrivers.storage.k8s.io': between((object) => {
    const tokens = spec(object, 'tokenRequests');
    return [
      flag(spec(object, 'attachRequired'), true),
      flag(spec(object, 'podInfoOnMount')),
      flag(spec(object, 'storageCapacity')),
      tokens === undefined
        ? '<unset>'
        : maps(tokens)
            .map(({ audience }) => text(audience))
            .join(','),
      flag(spec(object, 'requiresRepublish')),
      items(spec(object, 'volumeLifecycleModes'))
        .map((mode) => text(mode))
        .join(',') || '<none>',
    ];
  }),
  'csinodes.storage.k8s.io': between((object) => [count(spec(object, 'drivers'))]),
  'storageclasses.storage.k8s.io': (object, now) => [
    annotated(
      object,
      'storageclass.kubernetes.io/is-default-class',
      'storageclass.beta.kubernetes.io/is-default-class',
    ),
    text(object['provisioner']),
    text(object['reclaimPolicy'], 'Delete'),
    text(object['volumeBindingMode'], 'Immediate'),
    flag(object['allowVolumeExpansion']),
    age(object, now),
  ],
  'volumeattachments.storage.k8s.io': between((object) => [
    text(spec(object, 'attacher')),
    text(spec(object, 'source', 'persistentVolumeName')),
    text(spec(object, 'nodeName')),
    flag(at(object, 'status', 'attached')),
  ]),
  'volumeattributesclasses.storage.k8s.io': between((object) => [text(object['driverName'])]),
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': between((object) => [count(object['webhooks'])]),
  'validatingwebhookconfigurations.admissionregistration.k8s.io': between((object) => [count(object['webhooks'])]),
  'mutatingadmissionpolicies.admissionregistration.k8s.io': between((object) => [
    count(spec(object, 'mutations')),
    paramKind(object),
  ]),
  'validatingadmissionpolicies.admissionregistration.k8s.io': between((object) => [
    count(spec(object, 'validations')),
    paramKind(object),
  ]),
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': between((object) => [
    text(spec(object, 'policyName')),
    paramRef(object),
  ]),
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': between((object) => [
    text(spec(object, 'policyName')),
    paramRef(object),
  ]),
  'priorityclasses.scheduling.k8s.io': (object, now) => [
    name(object),
    number(object['value']),
    flag(object['globalDefault']),
    age(object, now),
    text(object['preemptionPolicy']),
  ],
  'leases.coordination.k8s.io': between((object) => [text(spec(object, 'holderIdentity'))]),
  'runtimeclasses.node.k8s.io': between((object) => [text(object['handler'])]),
  'deviceclasses.resource.k8s.io': between(() => []),
  'resourceclaims.resource.k8s.io': between((object) => [claimState(object)]),
  'resourceclaimtemplates.resource.k8s.io': between(() => []),
  'resourceslices.resource.k8s.io': between((object) => [
    text(spec(object, 'nodeName')),
    text(spec(object, 'driver')),
    text(spec(object, 'pool', 'name')),
  ]),
  'flowschemas.flowcontrol.apiserver.k8s.io': (object, now) => [
    name(object),
    text(spec(object, 'priorityLevelConfiguration', 'name')),
    number(spec(object, 'matchingPrecedence')),
    text(spec(object, 'distinguisherMethod', 'type'), '<none>'),
    age(object, now),
    text(maps(at(object, 'status', 'conditions')).find(({ type }) => type === 'Dangling')?.['status'], '?'),
  ],
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': between((object) => {
    const limited = spec(object, 'limited');
    const queuing = at(limited, 'limitResponse', 'queuing');
    return [
      text(spec(object, 'type')),
      limited === undefined ? '<none>' : (at(limited, 'nominalConcurrencyShares') ?? null),
      ...['queues', 'handSize', 'queueLengthLimit'].map((key) =>
        queuing === undefined ? '<none>' : number(at(queuing, key)),
      ),
    ];
  }),
};
