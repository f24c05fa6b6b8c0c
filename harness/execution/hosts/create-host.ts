/** A host for any target: a module or a program. */
import type { Host } from '../run/host.ts';
import type { Subject } from '../subject.ts';
import { createModuleHost } from './module-host.ts';

/** For a module it installs virtual time in this process, for good. `beat` hears of every wait. */
export async function createHost(subject: Subject, beat: () => void = () => {}, served?: () => void): Promise<Host> {
  if (subject.process === null) return createModuleHost(subject, served);
  // Modules do not pay for what programs need.
  const { createProcessHost } = await import('./process-host.ts');
  return createProcessHost(subject, subject.process, beat);
}
