/** The two sides: a real control plane and the embedded server behind its HTTP shell, both freshly started, with the same definitions. */
import { ANONYMOUS } from '../../server/http/authentication.ts';
import { httpsCallOut } from '../../server/http/call-out.ts';
import { CertificateAuthority } from '../../server/http/certificates.ts';
import { serveHttp } from '../../server/http/serve.ts';
import { ApiServer } from '../../server/server.ts';
import { randomSuffix, randomUid } from '../../ids.ts';
import { realDate, realDelay } from '../../clock.ts';
import { ApiServerError } from '../../objects/errors.ts';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { ApiClient, type Endpoint } from './client.ts';
import { CRDS, GROUP } from './crds.ts';

export interface Side {
  readonly client: ApiClient;
  stop(): Promise<void>;
}

const OUR_TOKEN = 'administrator';

/** Starts the embedded server over TLS, with the permissions that the real one is started with. */
export async function startOurs(): Promise<Side> {
  const server = new ApiServer({
    now: () => realDate().getTime(),
    newUid: randomUid,
    nameSuffix: randomSuffix,
    fieldManagement: 'eager',
    callOut: httpsCallOut(),
  });
  const authority = new CertificateAuthority();
  const http = await serveHttp(server, {
    tls: { identity: authority.issueServer(), clientCa: authority.certificate },
    authentication: {
      tokens: new Map([[OUR_TOKEN, { name: 'admin', uid: 'admin', groups: ['system:masters'] }]]),
      anonymous: ANONYMOUS,
    },
  });
  server.boot(http.port);
  const endpoint: Endpoint = { name: 'ours', url: http.url, ca: authority.certificate, token: OUR_TOKEN };
  return prepared(endpoint, () => http.close());
}

export async function startReal(): Promise<Side> {
  const plane = await startControlPlane();
  return prepared({ name: 'real', url: plane.url, ca: plane.ca, token: plane.token }, () => plane.stop());
}

/** Starts both servers or neither: when the real one fails to start, the embedded one is closed. */
export async function startBoth(): Promise<{
  readonly ours: Side;
  readonly real: Side;
  readonly stop: () => Promise<void>;
}> {
  const real = await startReal();
  try {
    const ours = await startOurs();
    return { ours, real, stop: async () => void (await Promise.all([ours.stop(), real.stop()])) };
  } catch (error) {
    await real.stop();
    throw error;
  }
}

/** Installs the definitions and waits until they are served. */
async function prepared(endpoint: Endpoint, stop: () => Promise<void>): Promise<Side> {
  const client = new ApiClient(endpoint);
  const end = async (): Promise<void> => {
    client.close();
    await stop();
  };
  try {
    for (const body of CRDS) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      const reply = await client.request({ method: 'POST', path, body });
      if (reply.code !== 201)
        throw new ApiServerError(
          'CLUSTER_UNAVAILABLE',
          `${endpoint.name} refused a definition: ${JSON.stringify(reply.body)}`,
        );
    }
    for (const { spec } of CRDS as unknown as readonly {
      readonly spec: { readonly names: { readonly plural: string } };
    }[])
      while ((await client.request({ method: 'GET', path: `/apis/${GROUP}/v1/${spec.names.plural}` })).code !== 200)
        await realDelay(50);
    return { client, stop: end };
  } catch (error) {
    await end();
    throw error;
  }
}
