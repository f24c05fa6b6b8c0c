/** A project for tests of the command line. */
import { fileURLToPath } from 'node:url';
import { ownModule } from '../model/own-module.ts';

export const CONTROLLERS: string = fileURLToPath(new URL('../../controllers-under-test/releases/', import.meta.url));
const INDEX = ownModule(import.meta.url, '../index.ts').href;

/**
 * A configuration with a claim that every run violates, because a writer changes the sample's spec: it tests the command line,
 * not a bug.
 */
export const NEVER_REDEPLOYED: string = `
import { defineConfig } from ${JSON.stringify(INDEX)};
export default defineConfig({
  target: ${JSON.stringify(`${CONTROLLERS}correct/controller.ts`)},
  crds: [${JSON.stringify(`${CONTROLLERS}crd.yaml`)}],
  samples: [${JSON.stringify(`${CONTROLLERS}sample.yaml`)}],
  always: [
    {
      name: 'never-redeployed',
      resource: 'deployments.apps',
      check: (object) => Number(object.metadata.generation) < 2 || 'generation ' + object.metadata.generation,
    },
  ],
});
`;
