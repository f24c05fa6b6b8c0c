/** The names of the mutation operators, and a description of each. */
import type { Find } from '../syntax.ts';

/** A description of each operator, which completes a sentence that starts with "the mutant …". */
export const IDIOMS = {
  'acts-once': 'does the work of a generation once, and never again',
  'changes-key': 'asks a service outside of the cluster again under another key',
  'dies-on-error': 'ends its process at the first error',
  'drops-lock': 'goes on without its lock',
  'drops-guard': 'goes on where it should stop',
  'drops-operand': 'tests one thing less before it acts',
  'drops-owner': 'leaves out the owner reference, or that it is the controller',
  'drops-precondition': 'deletes without the uid or the version that it looked at',
  'drops-spread': 'replaces a map or an object whole, with what another writer put into it',
  'drops-version': 'writes without the version that it read',
  'drops-watch': 'does not watch what it owns, or does not react to it',
  'floats-write': 'does not wait for a request',
  'forces-apply': 'takes over fields of another manager, or does not take back its own',
  'generates-names': 'creates under generated names what had fixed ones',
  'ignores-terminating': 'does not see that an object is being deleted',
  'ignores-uid': 'takes an object of the same name for the same object',
  'keeps-refused': 'sends a refused write again and again without a fresh read',
  'mistakes-error-for-absence': 'takes any error of a read for "not found"',
  'reads-cache': 'reads the cache instead of the server',
  'refreshes-version-only': 'after a conflict, sends the old content under the new version',
  'replaces-list': 'replaces a list whole, with the items of another writer',
  'requeues-at-once': 'tries again without a pause, or too often',
  'skips-step': 'leaves out a step',
  'starts-early': 'starts before its caches are filled',
  'swallows-conflict': 'takes a conflict for success',
  'swallows-error': 'takes an error for success',
  'swaps-steps': 'does two steps in the wrong order: the status before the work, the finalizer off before the clean-up',
  'uses-cached': 'goes on with the cached object after a fresh read',
} as const;

export type OperatorName = keyof typeof IDIOMS;

/** The places that each operator applies to in one language. */
export type Operators = { readonly [operator in OperatorName]?: readonly Find[] };
