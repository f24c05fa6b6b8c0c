/** Conformance cases about requests: discovery, OpenAPI, bodies, headers, time limits, users, webhooks. */
import { createServer, request } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CertificateAuthority } from '../../server/http/certificates.ts';
import type { JsonObject } from '../../objects/object.ts';
import { encodeProtobuf } from '../../wire/protobuf/envelope.ts';
import type { Endpoint } from '../differential/client.ts';
import { plain } from '../differential/compare.ts';
import { at, check, configMap, same, widget, type ConformanceCase } from './case.ts';

const AGGREGATED = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const PROTOBUF = { 'content-type': 'application/vnd.kubernetes.protobuf' };

function review(kind: string, group: string, spec: JsonObject): JsonObject {
  return { apiVersion: `${group}.k8s.io/v1`, kind, spec };
}

/** Returns the HTTP version that a plain HTTPS client negotiates. */
function versionOverHttps({ url, ca, token }: Endpoint): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/version`, { ca, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume();
      resolve(response.httpVersion);
    });
    asked.on('error', reject);
    asked.end();
  });
}

export const REQUEST_CASES: readonly ConformanceCase[] = [
  {
    name: 'speaks HTTP/1.1 and HTTP/2 over TLS',
    items: [135],
    // The client of all other cases speaks HTTP/2.
    run: async (t) => same(await versionOverHttps(t.client.endpoint), '1.1', 'the version'),
  },
  {
    name: 'refuses bodies and objects that are too large',
    items: [110],
    run: async (t) => {
      const path = `/apis/apps/v1/namespaces/${t.namespace}/controllerrevisions`;
      const holding = (bytes: number): JsonObject => ({
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: { name: 'large' },
        revision: 1,
        data: { text: 'x'.repeat(bytes) },
      });
      const tooLarge = '413: Request entity too large: limit is 3145728';
      await t.call('POST', path, tooLarge, holding(3_200_000));
      await t.call('POST', path, '500: etcdserver: request is too large', holding(1_700_000));
      await t.call('POST', path, 201, holding(1_000_000));
    },
  },
  {
    name: 'calls webhooks before it stores',
    items: [115],
    run: async (t) => {
      const authority = new CertificateAuthority();
      const { certificate, key } = authority.issueServer(['127.0.0.1']);
      const hook = createServer(
        { cert: certificate, key },
        (incoming, response) => void answerReview(incoming, response),
      );
      await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
      const { port } = hook.address() as AddressInfo;
      const webhooks = [
        {
          name: 'deny.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: {
            url: `https://127.0.0.1:${port}/`,
            caBundle: Buffer.from(authority.certificate).toString('base64'),
          },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': t.namespace } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        },
      ];
      const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
      const metadata = { name: t.namespace };
      try {
        await t.call('POST', path, 201, {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingWebhookConfiguration',
          metadata,
          webhooks,
        });
        // A real server picks up a new webhook with a delay.
        await t.refused(t.core('configmaps'), 403, configMap('no'));
        const { object } = await t.reply('POST', t.core('configmaps'), 403, configMap('no'));
        check(
          plain(object['message']).includes('admission webhook "deny.example.com" denied the request: not this one'),
          'an odd refusal',
        );
        await t.call('POST', t.core('configmaps'), 201, configMap('yes'));
      } finally {
        await t.call('DELETE', `${path}/${t.namespace}`, 200);
        hook.close();
        hook.closeAllConnections();
      }
    },
  },

  {
    name: 'serves one version of aggregated discovery',
    items: [2],
    run: async (t) => {
      const old = {
        accept: 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
      };
      same((await t.reply('GET', '/apis', 200, undefined, old)).object['kind'], 'APIGroupList', 'the old form');
      const nopeer = { accept: `application/json;${AGGREGATED};profile=nopeer,application/json` };
      const asked = await t.reply('GET', '/apis', 200, undefined, nopeer);
      same(asked.object['kind'], 'APIGroupDiscoveryList', 'the form with a profile');
    },
  },
  {
    name: 'publishes OpenAPI with schemas',
    items: [11, 12],
    run: async (t) => {
      const { paths } = await t.call('GET', '/openapi/v3', 200);
      const core = plain((paths as { readonly [path: string]: JsonObject })['api/v1']?.['serverRelativeURL']);
      check(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{128}$/.test(core), `the path of the core document is ${core}`);
      const document = await t.call('GET', core, 200);
      const operations = document['paths'] as { readonly [path: string]: JsonObject };
      const patch = operations['/api/v1/namespaces/{namespace}/configmaps/{name}']?.['patch'] as JsonObject;
      same(
        patch['x-kubernetes-group-version-kind'],
        { group: '', kind: 'ConfigMap', version: 'v1' },
        'the kind of the operation',
      );
      const parameters = patch['parameters'] as readonly JsonObject[];
      check(
        parameters.some(({ name }) => name === 'fieldValidation'),
        'a patch takes no fieldValidation',
      );
      const second = await t.call('GET', '/openapi/v2', 200);
      same(second['swagger'], '2.0', 'the version of the older document');
      const definitions = second['definitions'] as { readonly [name: string]: JsonObject };
      check(definitions['io.k8s.api.core.v1.Pod'] !== undefined, 'the older document describes no pods');
    },
  },
  {
    name: 'reads protobuf of built-in kinds',
    items: [15, 17],
    run: async (t) => {
      const bytes = encodeProtobuf({ ...configMap('p', { a: 'é' }), metadata: { name: 'p', labels: { x: 'y' } } });
      const made = await t.send('POST', t.core('configmaps'), 201, bytes, PROTOBUF);
      same([at(made, 'data.a'), at(made, 'metadata.labels.x')], ['é', 'y'], 'the object');
      const options = encodeProtobuf({ kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] });
      await t.send('DELETE', `${t.core('configmaps')}/p`, 200, options, PROTOBUF);
      await t.call('GET', `${t.core('configmaps')}/p`, 200);
      const cut = bytes?.subarray(0, bytes.length - 3);
      await t.send('POST', t.core('configmaps'), '400 BadRequest', cut, PROTOBUF);
    },
  },
  {
    name: 'indents answers for browsers and command lines',
    items: [22],
    run: async (t) => {
      const pretty = await t.text(`${t.core('configmaps')}?pretty=true`);
      check(pretty.startsWith('{\n  "kind"') || pretty.startsWith('{\n  "apiVersion"'), 'pretty is not indented');
      check(!(await t.text(t.core('configmaps'))).includes('\n  '), 'a plain answer is indented');
      const curl = await t.text(t.core('configmaps'), { 'user-agent': 'curl/8.0' });
      check(curl.includes('\n  '), 'curl gets no indented answer');
    },
  },
  {
    name: 'writes objects in their canonical form',
    items: [23, 140],
    run: async (t) => {
      const made = await t.call('POST', t.core('configmaps'), 201, {
        ...configMap('c', { a: '1' }),
        binaryData: null,
        immutable: null,
      });
      same([made['binaryData'], made['immutable']], [undefined, undefined], 'nulls');
      check(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(plain(at(made, 'metadata.creationTimestamp'))), 'an odd time');
      const leases = `/apis/coordination.k8s.io/v1/namespaces/${t.namespace}/leases`;
      const lease = await t.call('POST', leases, 201, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'l' },
        spec: { renewTime: '2026-01-02T03:04:05.600000+01:00' },
      });
      same(at(lease, 'spec.renewTime'), '2026-01-02T02:04:05.600000Z', 'a time in microseconds');
      const big = await t.send(
        'POST',
        t.widgets.replace('widgets', 'frees'),
        201,
        '{"apiVersion":"diff.example.com/v1","kind":"Free","metadata":{"name":"f"},"n":9007199254740993}',
        { 'content-type': 'application/json' },
        (text) => text.includes('9007199254740993'),
      );
      same(big['kind'], 'Free', 'the kind');
    },
  },
  {
    name: 'sends Retry-After',
    items: [108, 29],
    run: async (t) => {
      const { headers, object } = await t.reply(
        'GET',
        `${t.widgets}?resourceVersion=99999999`,
        '504 Timeout: Too large resource version',
      );
      same([headers['retry-after'], at(object, 'details.retryAfterSeconds')], ['1', 1], 'when to try again');
    },
  },
  {
    name: 'accepts timeouts, and refuses malformed ones',
    items: [95, 112],
    run: async (t) => {
      await t.call('GET', `${t.widgets}?timeout=10s`, 200);
      await t.call('GET', `${t.widgets}?timeout=soon`, '400 BadRequest');
      const stream = await t.watch(`${t.widgets}?watch=true&timeoutSeconds=1`);
      await stream.until(() => false, 10_000);
      check(stream.ended(), 'a watch outlives its time limit');
      same(stream.events, [], 'the events');
    },
  },
  {
    name: 'authenticates the caller',
    items: [114],
    run: async (t) => {
      const nobody = { authorization: 'Bearer unknown' };
      const { object } = await t.reply(
        'GET',
        t.core('configmaps'),
        '401 Unauthorized: Unauthorized',
        undefined,
        nobody,
      );
      same(object['kind'], 'Status', 'the kind');
      const group = { 'impersonate-group': 'g' };
      await t.reply('GET', t.core('configmaps'), '400: without impersonating a user', undefined, group);
      const self = await t.reply(
        'POST',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        201,
        review('SelfSubjectReview', 'authentication', {}),
        {
          'impersonate-user': 'ann',
          'impersonate-group': 'team',
        },
      );
      same(
        [at(self.object, 'status.userInfo.username'), at(self.object, 'status.userInfo.groups')],
        ['ann', ['team', 'system:authenticated']],
        'the user',
      );
    },
  },
  {
    name: 'sets the headers of every answer',
    items: [116],
    run: async (t) => {
      const { headers } = await t.reply('GET', t.core('configmaps'), 200);
      check(/^[0-9a-f-]{36}$/.test(String(headers['audit-id'])), `Audit-Id is ${String(headers['audit-id'])}`);
      same(headers['cache-control'], 'no-cache, private', 'Cache-Control');
    },
  },
  {
    name: 'answers reviews',
    items: [55],
    run: async (t) => {
      const access = await t.call(
        'POST',
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        201,
        review('SelfSubjectAccessReview', 'authorization', { resourceAttributes: { verb: 'get', resource: 'pods' } }),
      );
      same(at(access, 'status.allowed'), true, 'the access');
      const rules = await t.call(
        'POST',
        '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
        201,
        review('SelfSubjectRulesReview', 'authorization', { namespace: t.namespace }),
      );
      same(at(rules, 'status.resourceRules.0.verbs'), ['*'], 'the rules');
      await t.call('GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 405);
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
      await t.call('POST', t.core('serviceaccounts'), 201, account);
      const token = await t.call('POST', `${t.core('serviceaccounts')}/robot/token`, 201, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 3600 },
      });
      const known = await t.call(
        'POST',
        '/apis/authentication.k8s.io/v1/tokenreviews',
        201,
        review('TokenReview', 'authentication', { token: plain(at(token, 'status.token')) }),
      );
      same(
        [at(known, 'status.authenticated'), at(known, 'status.user.username')],
        [true, `system:serviceaccount:${t.namespace}:robot`],
        'the owner of the token',
      );
    },
  },
  {
    name: 'places objects in the scope of their kind',
    items: [137, 138],
    run: async (t) => {
      await t.call('POST', '/api/v1/configmaps', 405, configMap('a'));
      await t.call('POST', '/apis/diff.example.com/v1/widgets', 404, widget('a'));
      const name = `g-${t.namespace}`;
      const made = await t.call('POST', '/apis/diff.example.com/v1/globals', 201, {
        apiVersion: 'diff.example.com/v1',
        kind: 'Global',
        metadata: { name, namespace: 'elsewhere' },
      });
      same(at(made, 'metadata.namespace'), undefined, 'the namespace');
      await t.call('DELETE', `/apis/diff.example.com/v1/globals/${name}`, 200);
    },
  },
  {
    name: 'treats every value of watch but 0 and false as true, and accepts a namespace called watch',
    items: [87],
    run: async (t) => {
      for (const value of ['True', 'yes', '', '1']) {
        const text = await t.text(`${t.core('configmaps')}?watch=${value}&timeoutSeconds=1&labelSelector=none`);
        check(!text.includes('ConfigMapList'), `watch=${value} is no watch: ${text.slice(0, 100)}`);
      }
      for (const value of ['False', 'FALSE', '0']) {
        const list = await t.call('GET', `${t.core('configmaps')}?watch=${value}`, 200);
        same(list['kind'], 'ConfigMapList', `the kind for watch=${value}`);
      }
      const path = '/api/v1/namespaces/watch/configmaps';
      check((await t.text(path, { accept: 'application/yaml' })).startsWith('apiVersion: v1'), 'no list in YAML');
    },
  },
  {
    name: 'reports unknown fields of YAML in key order',
    items: [14],
    run: async (t) => {
      const yaml = `kind: ConfigMap\napiVersion: v1\nmetadata:\n  zed: 1\n  name: yaml-order\n  foo: 1\nbogus: 1\n`;
      const path = `${t.core('configmaps')}?fieldValidation=Strict`;
      const refused = await t.send('POST', path, 400, yaml, { 'content-type': 'application/yaml' });
      const fields = plain(refused['message']).match(/unknown field "[^"]*"/g) ?? [];
      same(
        fields.join(),
        'unknown field "bogus",unknown field "metadata.foo",unknown field "metadata.zed"',
        'the order',
      );
    },
  },
];

/** Answers a review: allows everything but an object called `no`. */
async function answerReview(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const asked = JSON.parse(Buffer.concat(chunks).toString()) as {
    readonly request: { readonly uid: string; readonly name: string };
  };
  const { uid, name } = asked.request;
  const answer = name === 'no' ? { allowed: false, status: { code: 403, message: 'not this one' } } : { allowed: true };
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...answer } }),
  );
}
