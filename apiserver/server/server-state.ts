/** The state that is needed to process requests: stored objects, served resources, access control, and the sources of time and ids. */
import type { AccessControl } from './access/control.ts';
import type { Registry } from './registry.ts';
import type { Store } from './store.ts';
import type { Timestamp } from '../objects/timestamps.ts';

export interface ServerState {
  readonly store: Store;
  readonly registry: Registry;
  readonly newUid: () => string;
  readonly nameSuffix: () => string;
  /** The key that signs tokens of service accounts. */
  readonly tokenKey: string;
  readonly access: AccessControl;
  readonly timestamp: Timestamp;
}
