/** Creates the host for any target: a module or a program. */
import type { Host } from '../run/host.ts';
import type { Subject } from '../subject.ts';
import { createModuleHost } from './module-host.ts';

/** Creates a host. For a module, installs virtual time in this process for good. `beat` is called during every wait. */
export async function createHost(subject: Subject, beat: () => void = () => {}, served?: () => void): Promise<Host> {
  if (subject.process === null) return createModuleHost(subject, served);
  // Imported only when needed: module targets do not use it.
  const { createProcessHost } = await import('./process-host.ts');
  return createProcessHost(subject, subject.process, beat);
}
