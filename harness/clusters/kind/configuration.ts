/**
 * The configuration for creating a cluster: the repository's `kind-config.yaml` or a file of the user, with the run's additions.
 *
 * Owns: the name, the image, and an etcd port on loopback. Start at {@link configurationOf}.
 */
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { isRecord } from 'stalemate-apiserver/objects/json';
import { readFileText, Unreadable } from '../../report/read-files.ts';
import { HarnessError } from '../../model/errors.ts';

const DEFAULT_FILE = fileURLToPath(new URL('../../../kind-config.yaml', import.meta.url));
/** The port of etcd in the node. */
const ETCD_PORT = 2379;

/**
 * Returns YAML for `kind create cluster --config`.
 *
 * @throws {CONFIG_INVALID} if the file is not a kind configuration.
 */
export function configurationOf(file: string = DEFAULT_FILE, name: string, image: string, etcdPort: number): string {
  const config = read(file);
  const { networking, nodes } = config;
  const first: { readonly [key: string]: unknown } =
    Array.isArray(nodes) && isRecord(nodes[0]) ? nodes[0] : { role: 'control-plane' };
  const others = Array.isArray(nodes) ? (nodes as readonly unknown[]).slice(1) : [];
  if ((first['role'] ?? 'control-plane') !== 'control-plane' || others.some(isControlPlane))
    throw invalid(file, 'expected one control-plane node, and that first');
  const mappings = Array.isArray(first['extraPortMappings']) ? (first['extraPortMappings'] as readonly unknown[]) : [];
  const etcd = { containerPort: ETCD_PORT, hostPort: etcdPort, listenAddress: '127.0.0.1', protocol: 'TCP' };
  const withImage = (node: unknown): object => ({ ...(isRecord(node) ? node : {}), image });
  return stringify({
    ...config,
    name,
    networking: { ...(isRecord(networking) ? networking : {}), apiServerAddress: '127.0.0.1' },
    nodes: [{ ...withImage(first), extraPortMappings: [...mappings, etcd] }, ...others.map(withImage)],
  });
}

function isControlPlane(node: unknown): boolean {
  return isRecord(node) && (node['role'] ?? 'control-plane') === 'control-plane';
}

const BYTES_MAX = 16 * 1024 * 1024;

function read(file: string): { readonly [key: string]: unknown } {
  let text: string;
  try {
    text = readFileText(file, BYTES_MAX);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw invalid(file, `${error.message}, expected a file; correct its path`);
  }
  let config: unknown;
  try {
    config = parse(text, { stringKeys: true, logLevel: 'error' });
  } catch (error) {
    throw invalid(file, `is no YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isRecord(config) || config['kind'] !== 'Cluster' || !String(config['apiVersion']).startsWith('kind.x-k8s.io/'))
    throw invalid(file, 'is no kind configuration, expected "kind: Cluster" and "apiVersion: kind.x-k8s.io/v1alpha4"');
  return config;
}

function invalid(file: string, problem: string): HarnessError {
  return new HarnessError('CONFIG_INVALID', `the kind configuration "${file}" ${problem}`);
}
