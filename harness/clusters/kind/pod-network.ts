/**
 * Sets up a network for the pods of a node that has none: outbound connections only.
 *
 * kind's own network is a DaemonSet, which needs kube-controller-manager and kube-scheduler, and those are left out (`kind-config.yaml`). A
 * single node needs only two of the plugins in its image. An existing network is kept. Start at {@link givePodNetwork}.
 */
import type { NodeShell } from './node-shell.ts';

const CONFIGURATION = {
  cniVersion: '1.0.0',
  name: 'stalemate',
  plugins: [
    {
      type: 'ptp',
      ipMasq: true,
      ipam: { type: 'host-local', ranges: [[{ subnet: '10.244.0.0/24' }]], routes: [{ dst: '0.0.0.0/0' }] },
    },
  ],
};
const FOLDER = '/etc/cni/net.d';

/** Writes the configuration of the network, atomically, as containerd reads the file as soon as it appears. */
export async function givePodNetwork(shell: NodeShell): Promise<void> {
  const text = JSON.stringify(CONFIGURATION);
  await shell.ask(
    `[ -n "$(ls ${FOLDER})" ] || { echo '${text}' >/tmp/pod-network && mv /tmp/pod-network ${FOLDER}/10-stalemate.conflist; }`,
  );
}
