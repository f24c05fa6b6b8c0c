/** The module `@kubernetes/client-node`, passed around as a value: it is always the target's copy, never an import of our own. */
import type * as clientNode from '@kubernetes/client-node';

export type ClientNode = typeof clientNode;
