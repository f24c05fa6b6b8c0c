/** The report of a campaign as text. */
import { plain } from '../differential/compare.ts';
import type { FuzzResult } from './campaign.ts';
import { answerOf } from './compare.ts';

const SHOWN = 400;

export function reportFuzz({ requests, known, seconds, classes, codes }: FuzzResult): string {
  const lines = classes.map(({ count, path, ours, real, request, oursReply, realReply }, index) => {
    const { method, target, headers, body } = request;
    return [
      `#${index + 1} (${count}x) ${path}: real ${answerOf(realReply)}, ours ${answerOf(oursReply)}`,
      `  ${method} ${shown(target)} ${JSON.stringify(headers)}${body === undefined ? '' : ` ${shown(JSON.stringify(body.toString('latin1')))}`}`,
      `  real: ${shown(plain(real))}`,
      `  ours: ${shown(plain(ours))}`,
    ].join('\n');
  });
  const answers = Object.entries(codes)
    .map(([code, count]) => `${code}: ${count}`)
    .join(', ');
  return [
    ...lines,
    `${requests} requests compared in ${seconds.toFixed(0)} s (real answers ${answers}); ${classes.length} classes of difference, ${known} known differences`,
  ].join('\n');
}

function shown(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length})` : text;
}
