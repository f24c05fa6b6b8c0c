/**
 * The webhooks of a project that the target serves itself: which webhooks these are, where they listen, and which CA the server has to
 * trust.
 *
 * Owns: resolving a configuration's service to a port of the process, and injecting the CA in place of cert-manager. Does not own: calling
 * them (`hosts/webhook-calls.ts`). Start at {@link keepOwnWebhooks}.
 */
import { isMap, listOf, mapOf, mapsOf, textOf } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { find, type TargetWorkload } from './deployment.ts';

const CONFIGURATION = /^(?:Validating|Mutating)WebhookConfiguration$/;
const HTTPS = 443;

/** A container port. */
export interface ContainerPort {
  readonly port: number;
  /** Name of the port; empty if it has none. */
  readonly name: string;
}

/** A service as referenced by a webhook configuration. */
export interface NamedService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Returns the port of the target's container that a service maps to; undefined if the service maps to something else or does not exist. */
export function containerPortOf(
  workload: TargetWorkload,
  objects: readonly KubeObject[],
  asked: NamedService,
): ContainerPort | undefined {
  const service = find(objects, 'Service', asked.namespace, asked.name);
  const spec = mapOf(service?.['spec']);
  const selector = Object.entries(mapOf(spec['selector']));
  const labels = mapOf(mapOf(mapOf(mapOf(workload.object['spec'])['template'])['metadata'])['labels']);
  const leadsHere = selector.length > 0 && selector.every(([key, value]) => labels[key] === value);
  if (!leadsHere || asked.namespace !== workload.namespace) return undefined;
  const port = mapsOf(spec['ports']).find((one) => one['port'] === asked.port);
  if (port === undefined) return undefined;
  const target = port['targetPort'] ?? asked.port;
  const known = mapsOf(workload.container['ports']).find(
    (one) => one['name'] === target || one['containerPort'] === target,
  );
  const number = typeof target === 'number' ? target : known?.['containerPort'];
  return typeof number === 'number' ? { port: number, name: textOf(known?.['name']) } : undefined;
}

/** Returns the service in a client configuration; undefined if it has a URL. */
function serviceOf(clientConfig: JsonObject): NamedService | undefined {
  const { service } = clientConfig;
  if (!isMap(service)) return undefined;
  const port = typeof service['port'] === 'number' ? service['port'] : HTTPS;
  return { namespace: textOf(service['namespace']), name: textOf(service['name']), port };
}

/** Returns the objects with only those webhooks that the target answers. If it answers none, `workload` is a string with the reason. */
export function keepOwnWebhooks(
  objects: readonly KubeObject[],
  workload: TargetWorkload | string,
): { readonly objects: readonly KubeObject[]; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const kept = objects.flatMap((object): readonly KubeObject[] => {
    if (!CONFIGURATION.test(object.kind)) return [object];
    const webhooks = mapsOf(object['webhooks']);
    const own = webhooks.filter((webhook) => answers(workload, objects, mapOf(webhook['clientConfig'])));
    for (const webhook of webhooks) {
      if (own.includes(webhook)) continue;
      warnings.push(`the webhook ${textOf(webhook['name'])} is skipped: ${reason(workload, webhook)}`);
    }
    return own.length === 0 ? [] : [{ ...object, webhooks: own }];
  });
  return { objects: kept, warnings };
}

/** Reports whether the target serves the conversion webhook of a CRD. */
export function convertsItself(
  crd: KubeObject,
  objects: readonly KubeObject[],
  workload: TargetWorkload | string,
): boolean {
  return answers(workload, objects, conversionClient(crd) ?? {});
}

function answers(workload: TargetWorkload | string, objects: readonly KubeObject[], clientConfig: JsonObject): boolean {
  const service = serviceOf(clientConfig);
  return (
    typeof workload !== 'string' && service !== undefined && containerPortOf(workload, objects, service) !== undefined
  );
}

function reason(workload: TargetWorkload | string, webhook: JsonObject): string {
  if (typeof workload === 'string') return workload;
  const service = serviceOf(mapOf(webhook['clientConfig']));
  if (service === undefined) return 'it is called at a URL, and a run has no network';
  const { namespace, name, port } = service;
  return `no Service ${namespace}/${name} of the manifests maps port ${port} to the target`;
}

/** Returns the host names for one certificate that covers all webhooks of the objects. */
export function serviceNames(objects: readonly KubeObject[]): readonly string[] {
  const names = new Set(['localhost', '127.0.0.1']);
  for (const client of objects.flatMap(clientConfigsOf)) {
    const service = serviceOf(client);
    if (service === undefined) continue;
    names.add(`${service.name}.${service.namespace}.svc`);
    names.add(`${service.name}.${service.namespace}.svc.cluster.local`);
  }
  return [...names];
}

/** Reports whether any of the objects configures a webhook. */
export function asksWebhooks(objects: readonly KubeObject[]): boolean {
  return objects.some((object) => clientConfigsOf(object).length > 0);
}

/** The service of a webhook, and the CA that its configuration trusts. */
export interface AskedService {
  readonly service: NamedService;
  /** The trusted CA in PEM; empty until it is injected. */
  readonly authority: string;
}

/** Returns the services of all webhooks that the objects configure. */
export function servicesAsked(objects: readonly KubeObject[]): readonly AskedService[] {
  return objects.flatMap(clientConfigsOf).flatMap((client): readonly AskedService[] => {
    const service = serviceOf(client);
    const authority = Buffer.from(textOf(client['caBundle']), 'base64').toString();
    return service === undefined ? [] : [{ service, authority }];
  });
}

/** Reports whether a resource may configure webhooks. */
export function configuresWebhooks(resource: string): boolean {
  return /^(?:(?:validating|mutating)webhookconfigurations|customresourcedefinitions)\./.test(resource);
}

function clientConfigsOf(object: KubeObject): readonly JsonObject[] {
  if (CONFIGURATION.test(object.kind)) return mapsOf(object['webhooks']).map((one) => mapOf(one['clientConfig']));
  const conversion = object.kind === 'CustomResourceDefinition' ? conversionClient(object) : undefined;
  return conversion === undefined ? [] : [conversion];
}

function conversionClient(crd: KubeObject): JsonObject | undefined {
  const conversion = mapOf(mapOf(crd['spec'])['conversion']);
  const client = mapOf(conversion['webhook'])['clientConfig'];
  return conversion['strategy'] === 'Webhook' && isMap(client) ? client : undefined;
}

const INJECTED = /^cert-manager\.io\/inject-/;

/**
 * Returns the object with the CA of its webhooks' certificates, as cert-manager would inject it. `ca` is in PEM. A CA that the manifests
 * contain is kept: they contain the webhook's certificate as well.
 */
export function withAuthority(object: KubeObject, ca: string): KubeObject {
  const caBundle = Buffer.from(ca).toString('base64');
  const isInjected = Object.keys(object.metadata.annotations ?? {}).some((name) => INJECTED.test(name));
  return withClients(object, (client) => (!isInjected && holdsAuthority(client) ? client : { ...client, caBundle }));
}

/** Reports whether a CA certificate is present; projects use placeholders such as "Cg==" for a certificate that is to be injected. */
function holdsAuthority(client: JsonObject): boolean {
  return Buffer.from(textOf(client['caBundle']), 'base64').includes('BEGIN CERTIFICATE');
}

/** Returns the object with its webhooks' services replaced by URLs. `path` begins with a slash or is empty. */
export function ledTo(object: KubeObject, urlOf: (service: NamedService, path: string) => string): KubeObject {
  return withClients(object, (client) => {
    const named = serviceOf(client);
    if (named === undefined) return client;
    const { service, ...rest } = client;
    return { ...rest, url: urlOf(named, textOf(mapOf(service)['path'])) };
  });
}

function withClients(object: KubeObject, changed: (client: JsonObject) => JsonObject): KubeObject {
  if (CONFIGURATION.test(object.kind)) {
    const webhooks = listOf(object['webhooks']).map((one) => {
      const webhook = mapOf(one);
      return { ...webhook, clientConfig: changed(mapOf(webhook['clientConfig'])) };
    });
    return { ...object, webhooks };
  }
  const client = object.kind === 'CustomResourceDefinition' ? conversionClient(object) : undefined;
  if (client === undefined) return object;
  const spec = mapOf(object['spec']);
  const conversion = mapOf(spec['conversion']);
  const webhook = { ...mapOf(conversion['webhook']), clientConfig: changed(client) };
  return { ...object, spec: { ...spec, conversion: { ...conversion, webhook } } };
}
