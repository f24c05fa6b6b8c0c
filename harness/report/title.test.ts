import { expect, it } from 'vitest';
import { fileStem } from './title.ts';

const KIND = 'pods';

function numberOf(key: string, field: string, kind = KIND): string {
  const signature = { property: 'convergence', class: 'wrong-value', actors: ['target'], kind, field };
  return fileStem({ signature, cause: { key, text: key } });
}

it('gives findings of one cause one file, and those of a cause that different bugs may have one for each part of an object', () => {
  expect(numberOf('given up | create pods | an error', 'status.phase')).toBe(
    numberOf('given up | create pods | an error', 'spec.replicas', 'jobs'),
  );
  const missed = numberOf('missed | widgets', 'spec.replicas');

  expect(numberOf('missed | widgets', 'spec.template.image')).toBe(missed);
  expect(numberOf('missed | widgets', 'spec["a.b/c"]')).toBe(missed);
  expect(numberOf('missed | widgets', 'status.phase')).not.toBe(missed);
  expect(numberOf('missed | widgets', 'spec.replicas', 'jobs')).not.toBe(missed);
});

it.each(['../../etc/passwd', '/absolute', 'a\u0000b', '..', '', 'x'.repeat(50), 'C:\\evil', '-rf'])(
  'makes a file name of a property called %j that stays in its folder',
  (property) => {
    const signature = { property, class: 'c', actors: ['target'], kind: '../k', field: '/f' };

    expect(fileStem({ signature })).toMatch(/^[a-z0-9-]*-[0-9a-f]{6}$/);
  },
);
