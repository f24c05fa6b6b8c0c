/** A client that sets, changes and removes an annotation of its own. */
import type { AdversarialWriter } from '../../schedule/workload/writer.ts';
import { contestedAt, metadataMoves, oneOf } from './moves.ts';

export const annotationToucher: AdversarialWriter = {
  name: 'annotation-toucher',
  about: 'sets, changes and removes an annotation of its own on samples, children and inputs',
  contests: contestedAt('metadata.annotations'),
  ops: (aim) => oneOf(aim.objects.flatMap((object) => metadataMoves(object, 'annotations'))),
};
