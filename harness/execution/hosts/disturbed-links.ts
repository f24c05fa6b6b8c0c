/**
 * Puts toxiproxy on two links: between a process target and the gate, and between the gate and a real API server. On the first link, the
 * proxy is inside the network of each incarnation, where its connections start.
 *
 * Owns: one server per network, one proxy per incarnation and per API server. Does not own: what the proxies do to connections
 * (`clusters/connections/`). Start at {@link throughToxiproxy} and {@link beforeServer}.
 */
import type { ServeLife } from '../../actors/process/process-settings.ts';
import type { Disturbance } from '../../clusters/connections/disturbance.ts';
import { HERE, startToxiproxy, type ProxyLocation, type Toxiproxy } from '../../clusters/connections/toxiproxy.ts';
import type { WayBetween } from '../../clusters/real/envtest.ts';

/** Wraps `serve` so that each front is behind a proxy that can be disturbed. */
export function throughToxiproxy(serve: ServeLife, binary: string, disturbance: Disturbance): ServeLife {
  const servers = new Map<readonly string[], Promise<Toxiproxy>>();
  const serverIn = (place: ProxyLocation): Promise<Toxiproxy> => {
    const known = servers.get(place.enter) ?? startToxiproxy(binary, place);
    servers.set(place.enter, known);
    return known;
  };
  return async (upstream, access) => {
    const [front, server] = await Promise.all([serve(upstream, access), serverIn(access.enclosure)]);
    const url = new URL(front.url);
    const between = await server.between(url.host);
    await disturbance.add('target', between);
    url.host = between.address;
    return {
      url: url.origin,
      ...(front.traffic === undefined ? {} : { traffic: front.traffic }),
      close: async () => {
        await disturbance.remove('target', between);
        await front.close();
      },
    };
  };
}

/** Returns a function that opens disturbable connections to an API server; its first call starts the toxiproxy server. */
export function beforeServer(binary: string, disturbance: Disturbance): (address: string) => Promise<WayBetween> {
  let server: Promise<Toxiproxy> | undefined;
  return async (address) => {
    server ??= startToxiproxy(binary, HERE);
    const between = await (await server).between(address);
    await disturbance.add('cluster', between);
    return {
      address: between.address,
      isOn: () => disturbance.isOn('cluster'),
      remove: () => disturbance.remove('cluster', between),
    };
  };
}
