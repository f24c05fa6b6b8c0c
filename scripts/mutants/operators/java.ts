/** The mutation operators for Java with the Java operator SDK and the fabric8 client. */
import { each, kinds, put, type Rule } from '../syntax.ts';
import type { Operators } from './idioms.ts';
import { type Branching, dropsGuard, dropsOperand, isRelied, skips, skipsBranch, swapsSteps } from './shapes.ts';

const BRANCHES: Branching = {
  branch: 'if_statement',
  block: 'block',
  exits: ['return_statement', 'continue_statement', 'throw_statement'],
  nothing: ';',
  except: /variant == null/,
};

const CALL: Rule = { kind: 'expression_statement', has: { kind: 'method_invocation' } };
const STEP: Rule = { ...CALL, not: { regex: '^(System|operator|\\w+\\.(getMetadata|addOwner|setStatus))' } };

export const java: Operators = {
  'drops-version': [put('$X.lockResourceVersion()', '$X')],
  'reads-cache': [put('context.getClient().resource(survey).get()', 'survey')],
  'swallows-error': [each(STEP, (node) => [`try { ${node.text()} } catch (RuntimeException ignored) { }`])],
  'swallows-conflict': [
    each(STEP, (node) =>
      isRelied(node)
        ? [
            `try { ${node.text()} } catch (io.fabric8.kubernetes.client.KubernetesClientException refused) { if (refused.getCode() != 409) throw refused; }`,
          ]
        : [],
    ),
  ],
  'floats-write': [each(STEP, (node) => [`new Thread(() -> { ${node.text()} }).start();`])],
  'dies-on-error': [
    each(STEP, (node) => [`try { ${node.text()} } catch (RuntimeException fatal) { Runtime.getRuntime().halt(1); }`]),
  ],
  'requeues-at-once': [
    put('$X.setIntervalMultiplier($_)', '$X.setIntervalMultiplier(1)'),
    put('$X.setInitialInterval($_)', '$X.setInitialInterval(1)'),
    put('$X.setMaxInterval($_)', '$X.setMaxInterval(50)'),
    put('$X.withoutMaxAttempts()', '$X.setMaxAttempts(3)'),
  ],
  'forces-apply': [put('$X.forceConflicts()', '$X')],
  'drops-guard': [dropsGuard(BRANCHES)],
  'drops-operand': [dropsOperand('binary_expression', ['&&', '||'])],
  'drops-owner': [skips({ ...CALL, regex: '^\\w+\\.addOwnerReference' }, ';')],
  'skips-step': [skipsBranch(BRANCHES), skips(STEP, ';')],
  'swaps-steps': [swapsSteps(kinds('block'), STEP)],
  'ignores-uid': [
    put(
      'secret.hasOwnerReferenceFor(survey.getMetadata().getUid())',
      'secret.getMetadata().getName().startsWith(nameOf(survey) + "-")',
    ),
  ],
  'ignores-terminating': [put('$X.isMarkedForDeletion()', 'false')],
  'generates-names': [
    put('invitation.getMetadata().setName(name)', 'invitation.getMetadata().setGenerateName(name + "-")'),
  ],
  'drops-watch': [put('List.of($A, $B)', 'List.of($A)', 'List.of($B)')],
};
