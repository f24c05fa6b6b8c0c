/**
 * Which API groups are a project's own: those that its API packages register and its PROJECT file names.
 *
 * Definitions of other groups lie in repositories as well: for a development environment, for tests. Owns: reading the groups from what
 * generators and tools write. Start at {@link ownGroups}.
 */
import { posix } from 'node:path';
import { parse } from 'yaml';
import { isRecord } from 'stalemate-apiserver/objects/json';
import type { Repository } from './repository.ts';

const MARKER = /\+groupName=([\w.-]+)/g;
/** `GroupVersion{Group: "example.com"`, `const Group = "example.com"`, `GroupName string = "example.com"` */
const DECLARED = /\b(?:Group|GroupName|APIGroup)\s*(?:string\s*)?(?::|=)\s*"([\w-]+(?:\.[\w-]+)+)"/g;
/** Files in which packages of types register their group. */
const REGISTERS = /^(?:doc|groupversion.*|register|.*_group|types|group)\.go$/;
const ASIDE = /(^|\/)(tests?|e2e|examples?|fixtures?|mocks?|fakes?)\//i;

/** Empty where nothing says which they are. */
export function ownGroups(repository: Repository): ReadonlySet<string> {
  const groups = new Set<string>(projectGroups(repository.text('PROJECT')));
  for (const file of repository.files) {
    if (!REGISTERS.test(posix.basename(file)) || ASIDE.test(file)) continue;
    const text = repository.text(file);
    for (const pattern of [MARKER, DECLARED]) for (const [, group = ''] of text.matchAll(pattern)) groups.add(group);
  }
  return groups;
}

function projectGroups(text: string): readonly string[] {
  try {
    const project: unknown = parse(text);
    if (!isRecord(project) || !Array.isArray(project['resources'])) return [];
    return project['resources'].flatMap((resource: unknown): readonly string[] => {
      if (!isRecord(resource) || typeof resource['group'] !== 'string') return [];
      const domain = [resource['domain'], project['domain']].find((one) => typeof one === 'string');
      return [domain === undefined ? resource['group'] : `${resource['group']}.${domain}`];
    });
  } catch {
    return [];
  }
}
