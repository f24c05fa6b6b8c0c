/** Whether what an overlay renders to can be installed as it is, with the target among it: some are templates for scripts to fill in. */
import { installCrds } from '../../clusters/definitions.ts';
import { findWorkload } from '../../execution/project/deployment.ts';
import { installProject } from '../../execution/project/install.ts';
import type { Project } from '../../execution/project/load.ts';
import { HarnessError } from '../../model/errors.ts';
import { createServer } from '../embedded-server.ts';
import { WORKLOADS } from './deployed.ts';

/** @param program what the target is started by: of several workloads, it says which one the target is. */
export function isInstallable({ crds, objects }: Project, program: string): boolean {
  try {
    if (!WORKLOADS.has(findWorkload(objects, program, undefined)?.kind ?? '')) return false;
    const server = createServer();
    installCrds(server, crds);
    installProject(server, objects, 'default');
    return true;
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return false;
  }
}
