/**
 * Detects a project's own API groups: those that its API packages register or its PROJECT file lists.
 *
 * Repositories also contain CRDs of other groups, for development environments and tests. Owns: reading the groups from the
 * files of generators and tools. Start at {@link ownGroups}.
 */
import { posix } from 'node:path';
import { parse } from 'yaml';
import { isRecord } from 'stalemate-apiserver/objects/json';
import type { Repository } from './repository.ts';

const MARKER = /\+groupName=([\w.-]+)/g;
/** For example `GroupVersion{Group: "example.com"`, `const Group = "example.com"`, `GroupName string = "example.com"`. */
const DECLARED = /\b(?:Group|GroupName|APIGroup)\s*(?:string\s*)?(?::|=)\s*"([\w-]+(?:\.[\w-]+)+)"/g;
/** Files in which API packages register their group. */
const REGISTERS = /^(?:doc|groupversion.*|register|.*_group|types|group)\.go$/;
const ASIDE = /(^|\/)(tests?|e2e|examples?|fixtures?|mocks?|fakes?)\//i;

/** Returns the groups; an empty set if no file declares any. */
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
