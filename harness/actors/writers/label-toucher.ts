/** A client that sets, changes and removes a label of its own, as GitOps tools and people with kubectl do. */
import type { AdversarialWriter } from '../../schedule/workload/writer.ts';
import { contestedAt, metadataMoves, oneOf } from './moves.ts';

export const labelToucher: AdversarialWriter = {
  name: 'label-toucher',
  about: 'sets, changes and removes a label of its own on samples, children and inputs',
  contests: contestedAt('metadata.labels'),
  ops: (aim) => oneOf(aim.objects.flatMap((object) => metadataMoves(object, 'labels'))),
};
