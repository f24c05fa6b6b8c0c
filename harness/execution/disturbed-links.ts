/**
 * Toxiproxy between a target that is a process and the gate: a server in the network of each life, since that is where it connects from.
 *
 * Owns: one server for each network, a proxy for each life. Does not own: what happens to connections (`clusters/connections/`). Start at
 * {@link throughToxiproxy}.
 */
import type { ServeLife } from '../actors/process/process-incarnation.ts';
import type { Disturbance } from '../clusters/connections/disturbance.ts';
import { startToxiproxy, type Place, type Toxiproxy } from '../clusters/connections/toxiproxy.ts';

/** Fronts as `serve` opens them, each behind a proxy that can be disturbed. */
export function throughToxiproxy(serve: ServeLife, binary: string, disturbance: Disturbance): ServeLife {
  const servers = new Map<readonly string[], Promise<Toxiproxy>>();
  const serverIn = (place: Place): Promise<Toxiproxy> => {
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
      close: async () => {
        await disturbance.remove('target', between);
        await front.close();
      },
    };
  };
}
