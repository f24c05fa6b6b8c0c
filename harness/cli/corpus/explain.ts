/** Describes one entry: its claim, its actors, its deviations, and what its state means for a run. */
import type { CorpusState, NamedEntry } from '../../model/corpus.ts';
import { deviationText } from '../../model/schedule.ts';
import type { ProgramOp } from '../../model/workload.ts';
import { plain, stateText } from '../../report/corpus-summary.ts';
import { wrap } from '../../report/text-wrap.ts';
import { titleOf } from '../../report/title.ts';
import type { Console } from '../console.ts';
import { properties } from '../registry.ts';

const MEANING: { readonly [state in CorpusState]: string } = {
  open: 'known and not fixed: a run fails as long as this fails',
  fixed: 'the bug is fixed: when this fails again, the run fails with a regression',
  quarantined: 'known and quarantined: it is replayed last, and fails no run',
};

export function explainEntry(
  { name, entry }: NamedEntry,
  { width, called }: Pick<Console, 'width' | 'called'>,
): string {
  const { signature, schedule, workload, target } = entry;
  const claim = properties.find((property) => property.name === signature.property)?.about;
  const started = 'module' in target ? target.module : `${target.command.join(' ')} (in ${target.directory})`;
  const deviations = [...schedule.preemptions, ...schedule.holds, ...schedule.faults].map(deviationText);
  const sample = workload.sample.map(({ kind, metadata }) => `${kind}/${metadata.name ?? ''}`).join(', ');
  const programs = workload.programs.map(
    ({ actor, writer, ops }) => `${actor}${writer === actor ? '' : ` (${writer})`}: ${ops.map(opText).join('; ')}`,
  );
  const paragraphs: readonly (readonly [string, readonly string[]])[] = [
    ['', [`${titleOf(signature)}  ${entry.sentence}`]],
    ['state', [`${stateText(entry)}: ${MEANING[entry.state]}`]],
    ['claim', [`${signature.property}${claim === undefined ? ' (your own)' : `: ${claim}`}`]],
    ['target', [started]],
    [
      'starts from',
      [`${sample}, ${workload.start === 'settled' ? 'with the target at rest' : 'with nothing applied yet'}`],
    ],
    ['who acts', programs],
    ['where the order deviates', deviations.length === 0 ? ['nowhere: the default order is enough'] : deviations],
    ['found with', [`stalemate ${entry.foundWith.stalemate}, Node ${entry.foundWith.node}`]],
    ['again', [`${called} corpus run ${name}`]],
  ];
  return paragraphs
    .filter(([, texts]) => texts.length > 0)
    .flatMap(([head, texts]) => {
      const [indent, first] = head === '' ? ['', []] : ['  ', [head]];
      return [
        ...first,
        ...texts.flatMap((text) => wrap(plain(text), width - indent.length, 2).map((line) => indent + line)),
      ];
    })
    .map((line) => `${line}\n`)
    .join('');
}

function opText(op: ProgramOp): string {
  const { resource, name, group } = op.target;
  const what = `${resource}${group === '' ? '' : `.${group}`}/${name}`;
  const path =
    'path' in op ? ` ${op.path.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join('.')}` : '';
  switch (op.do) {
    case 'set':
      return `set ${what}${path} to ${JSON.stringify(op.value)}`;
    case 'append':
      return `append to ${what}${path} ${JSON.stringify(op.item)}`;
    case 'remove-item':
      return `remove from ${what}${path} ${JSON.stringify(op.item)}`;
    case 'create':
      return `create ${what}`;
    case 'delete':
      return `delete ${what}${op.recreate === undefined ? '' : ', and create it again'}`;
    default:
      return op satisfies never;
  }
}
