/** Gives advice about inconclusive runs, according to the reason that the property gave. */

/** Advice by pattern: the first that matches a reason wins. The patterns quote reasons from `properties/`. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /never started/,
    'start it by hand with the same command: what does it print, and does it reach the kubeconfig that it is given?',
  ],
  [/cut short/, 'something other than the target did not answer: run it again, with fewer parallel runs'],
  [
    /fresh copy .* did not come to rest/,
    'let it run alone on the sample: until it is quiet there, there is no end state to compare with',
  ],
  [
    /failed so often that its next retry/,
    'give it a shorter longest back-off for the test (seconds), so that it has a chance to fix this',
  ],
  [
    /never came to rest|never silent|still not (?:silent|at rest)|was no time at rest/,
    'if it polls by nature, give it a longer interval for the test; if it does not, it is stuck in a loop',
  ],
  [/too few to/, 'a larger --budget may see it do more'],
];

/** Returns advice for a reason, or undefined if there is none. */
export function adviceFor(reason: string): string | undefined {
  return ADVICE.find(([words]) => words.test(reason))?.[1];
}
