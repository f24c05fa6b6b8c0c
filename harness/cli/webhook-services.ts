/**
 * Parses `--webhook-service NAMESPACE/NAME[:PORT]=HOST:PORT`: the addresses at which the services of webhook configurations
 * listen outside of a cluster.
 */
import type { CallOutOptions } from 'stalemate-apiserver/http';
import { usage } from './arguments.ts';

const FORM = /^([^/=:]+\/[^/=:]+)(?::(\d+))?=((?:\[[\da-fA-F:.]+\]|[^:=\s]+):\d+)$/;

const PORT_MAX = 65_535;

/** Parses the flag, one value for each service; a value without a port applies to all ports of the service. */
export function webhookServices(given: readonly string[]): NonNullable<CallOutOptions['resolveService']> {
  const places = new Map<string, string>();
  for (const text of given) {
    const [, service, port, place] = FORM.exec(text) ?? [];
    if (service === undefined || place === undefined || Number(place.slice(place.lastIndexOf(':') + 1)) > PORT_MAX)
      throw usage(
        `got webhook service "${text}", expected NAMESPACE/NAME[:PORT]=HOST:PORT such as "default/webhook=127.0.0.1:9443"`,
      );
    places.set(port === undefined ? service : `${service}:${port}`, place);
  }
  return ({ namespace, name, port }) =>
    places.get(`${namespace}/${name}:${port}`) ?? places.get(`${namespace}/${name}`);
}
