/** The module `@kubernetes/client-node` as a value: the target's copy is passed around, never our own imported by name. */
import type * as clientNode from '@kubernetes/client-node';

export type ClientNode = typeof clientNode;
