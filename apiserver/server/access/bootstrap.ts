/** The default roles and bindings of a server under RBAC. Parsed once, when the first server with RBAC starts. */
import type { KubeObject } from '../../objects/object.ts';
import { BOOTSTRAP_ROLES } from './bootstrap-roles.generated.ts';

let parsed: readonly KubeObject[] | undefined;

export function bootstrapRoles(): readonly KubeObject[] {
  return (parsed ??= JSON.parse(BOOTSTRAP_ROLES) as readonly KubeObject[]);
}
