/** Installs CRDs on the embedded server. */
import type { ApiServer } from 'stalemate-apiserver';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { withOwnErrors } from '../model/errors.ts';

/** @throws {MANIFEST_INVALID} if the server rejects one. */
export function installCrds(server: ApiServer, crds: readonly KubeObject[]): void {
  withOwnErrors(() => {
    for (const crd of crds) server.installCrd(crd);
  });
}
