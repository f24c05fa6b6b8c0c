/** The text of `apiserver/docs/claims.md`, from the transcripts of both servers. Written by `npm run claims-page`, checked by a test. */
import { ApiServerError } from '../../objects/errors.ts';
import type { ClaimResult } from './claim.ts';

/**
 * Returns the text of the page.
 *
 * @throws {CLUSTER_UNAVAILABLE} when the servers disagree: the page would be wrong about one of them.
 */
export function claimsPage(embedded: readonly ClaimResult[], real: readonly ClaimResult[]): string {
  embedded.forEach((one, index) => mustAgree(one, real[index]));
  return [
    '# Claims about optimistic concurrency',
    '',
    'Statements that are often made about versions, conflicts, patches and watches, true or false. Each is a short program that asks an API server over HTTP. All of them run',
    'on the embedded server in `npm test`, and on it and on a real kube-apiserver 1.36 in `npm run differential -- --conformance`. This page is written by `npm run claims-page`',
    'from what both answered: the lines below are the same on both, with versions named by the order in which they appeared.',
    '',
    '| statement | embedded | real | |',
    '| --- | --- | --- | --- |',
    ...embedded.map(
      ({ claim, verdict }, index) =>
        `| ${claim.statement} | ${verdict} | ${real[index]?.verdict ?? ''} | [what happens](#${claim.name}) |`,
    ),
    ...embedded.flatMap(sectionOf),
    '',
  ].join('\n');
}

function sectionOf({ claim, verdict, lines }: ClaimResult): readonly string[] {
  return [
    '',
    `## ${claim.name}`,
    '',
    `“${claim.statement}” **${verdict[0]?.toUpperCase()}${verdict.slice(1)}.**`,
    '',
    claim.truth,
    '',
    '```',
    ...lines,
    '```',
    '',
    `[The program](../fidelity/claims/${claim.name}.ts)`,
  ];
}

function mustAgree(one: ClaimResult, other: ClaimResult | undefined): void {
  const embedded = [one.verdict, ...one.lines];
  const real = other === undefined ? [] : [other.verdict, ...other.lines];
  const length = Math.max(embedded.length, real.length);
  for (let index = 0; index < length; index++) {
    const [here, there] = [embedded[index], real[index]].map((line) => (line === undefined ? 'nothing' : `"${line}"`));
    if (here === there) continue;
    throw new ApiServerError(
      'CLUSTER_UNAVAILABLE',
      `the servers differ about "${one.claim.name}": got ${here} from the embedded one, expected ${there} as from the real one; fix the server, or the claim`,
    );
  }
}
