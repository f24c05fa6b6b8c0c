import { expect, it } from 'vitest';
import { fileStem } from './title.ts';

it.each(['../../etc/passwd', '/absolute', 'a\u0000b', '..', '', 'x'.repeat(50), 'C:\\evil', '-rf'])(
  'makes a file name of a property called %j that stays in its folder',
  (property) => {
    const signature = { property, class: 'c', actors: ['target'], kind: '../k', field: '/f' };

    expect(fileStem({ signature })).toMatch(/^[a-z0-9-]*-[0-9a-f]{6}$/);
  },
);
