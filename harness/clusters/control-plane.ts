/** Wraps the programs of a real control plane, with errors of the harness if they are missing or do not start. */
import * as binaries from 'stalemate-apiserver/control-plane/binaries';
import * as plane from 'stalemate-apiserver/control-plane/control-plane';
import { withOwnErrors } from '../model/errors.ts';

export const findControlPlane: typeof binaries.findControlPlane = (...about) =>
  withOwnErrors(() => binaries.findControlPlane(...about));
export const findProgram: typeof binaries.findProgram = (...about) =>
  withOwnErrors(() => binaries.findProgram(...about));
export const findKubectl: typeof binaries.findKubectl = (...about) =>
  withOwnErrors(() => binaries.findKubectl(...about));
export const findToxiproxy: typeof binaries.findToxiproxy = (...about) =>
  withOwnErrors(() => binaries.findToxiproxy(...about));
export const startControlPlane: typeof plane.startControlPlane = (...about) =>
  withOwnErrors(() => plane.startControlPlane(...about));
