import { describe, expect, it } from 'vitest';
import { requestInfo } from 'stalemate-apiserver/wire/request-info';
import { EMPTY_SCHEDULE, type Schedule } from '../../model/schedule.ts';
import { interestOf } from './interest.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const WEB = '/apis/apps/v1/namespaces/default/deployments/web';

function named(more: Partial<Schedule>): readonly string[] {
  const isNamed = interestOf({ ...EMPTY_SCHEDULE, ...more }, 'controller');
  const requests = {
    list: requestInfo('GET', MAPS, {}),
    watch: requestInfo('GET', MAPS, { watch: '1' }),
    create: requestInfo('POST', MAPS, {}),
    status: requestInfo('PUT', `${WEB}/status`, {}),
    version: requestInfo('GET', '/version', {}),
  };
  return Object.entries(requests).flatMap(([name, info]) => (isNamed(info) ? [name] : []));
}

describe('a schedule', () => {
  it('that is empty names nothing', () => {
    expect(named({})).toEqual([]);
  });

  it('names all requests of a verb and a resource, whose numbers it counts', () => {
    const hold = {
      stream: 'controller/watch/configmaps/*#0',
      from: '@3',
      until: 'controller/create/configmaps/default/a#2!sent',
    };

    expect(named({ holds: [hold] })).toEqual(['watch', 'create']);
  });

  it('names subresources and paths that are no resources', () => {
    const at = ['controller/update/deployments.apps/status/default/web#0!sent', 'controller/get/raw/-//version#0!sent'];

    expect(named({ faults: at.map((label) => ({ at: label, do: 'refuse' })) })).toEqual(['status', 'version']);
  });

  it('names nothing of this actor when it is about another', () => {
    expect(named({ preemptions: [{ before: 'user/create/configmaps/default/a#0!sent', run: 'writer-1' }] })).toEqual(
      [],
    );
  });

  it('may be about anything when it speaks of generated names', () => {
    const at = 'controller/delete/pods/default/web/~1#0!sent';

    expect(named({ faults: [{ at, do: 'refuse' }] })).toHaveLength(5);
  });
});
