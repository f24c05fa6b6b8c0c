/** Checks whether a rendered overlay can be installed as it is and contains the target: some overlays are templates for scripts. */
import { installCrds } from '../../clusters/definitions.ts';
import { findWorkload } from '../../execution/project/deployment.ts';
import { installProject } from '../../execution/project/install.ts';
import type { Project } from '../../execution/project/load.ts';
import { HarnessError } from '../../model/errors.ts';
import { createServer } from '../embedded-server.ts';
import { WORKLOADS } from './deployed.ts';

/** @param program - The target's program, which identifies the target among several workloads. */
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
