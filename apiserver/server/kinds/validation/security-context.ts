/** Validates security contexts of containers (`ValidateSecurityContext` of k8s.io/kubernetes `pkg/apis/core/validation`). */
import { isMap } from '../../../objects/json.ts';
import type { JsonObject } from '../../../objects/object.ts';
import { listOf, mapOf, type Problems } from './problems.ts';

const USER_MAX = 2 ** 31 - 1;
const PROC_MOUNTS = ['Default', 'Unmasked'];

export function validateSecurityContext(
  context: JsonObject,
  path: string,
  { hostUsers }: { readonly hostUsers: boolean },
  found: Problems,
): void {
  const { procMount, privileged, capabilities } = context;
  for (const name of ['runAsUser', 'runAsGroup']) found.inRange(`${path}.${name}`, context[name], 0, USER_MAX);
  if (procMount !== undefined) {
    found.oneOfIfAny(`${path}.procMount`, procMount, PROC_MOUNTS);
    if (hostUsers && procMount === 'Unmasked')
      found.invalid(`${path}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`');
  }
  if (context['allowPrivilegeEscalation'] !== false) return;
  const refuse = (what: string): void =>
    found.invalid(path, internal(context), `cannot set \`allowPrivilegeEscalation\` to false and ${what}`);
  if (privileged === true) refuse('`privileged` to true');
  for (const added of listOf(mapOf(capabilities)['add']))
    if (added === 'CAP_SYS_ADMIN') refuse('`capabilities.Add` CAP_SYS_ADMIN');
}

const FIELDS = [
  'capabilities',
  'privileged',
  'seLinuxOptions',
  'windowsOptions',
  'runAsUser',
  'runAsGroup',
  'runAsNonRoot',
  'readOnlyRootFilesystem',
  'allowPrivilegeEscalation',
  'procMount',
  'seccompProfile',
  'appArmorProfile',
];

/** The values of unset fields in the internal type. */
const UNSAID: { readonly [field: string]: JsonObject } = {
  capabilities: { add: null, drop: null },
  seLinuxOptions: { user: '', role: '', type: '', level: '' },
  seccompProfile: { type: '', localhostProfile: null },
  appArmorProfile: { type: '', localhostProfile: null },
};

/** Returns a security context printed as the real server's internal type. */
function internal(context: JsonObject): JsonObject {
  return Object.fromEntries(
    FIELDS.map((name) => {
      const { [name]: value = null } = context;
      return [goName(name), isMap(value) ? renamed({ ...UNSAID[name], ...value }) : value];
    }),
  );
}

function renamed(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [goName(name), value]));
}

function goName(name: string): string {
  return name === 'seLinuxOptions' ? 'SELinuxOptions' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
