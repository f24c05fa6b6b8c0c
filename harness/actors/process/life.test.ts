import { expect, test } from 'vitest';
import { Lifecycle } from './life.ts';

interface Heard {
  readonly life: Lifecycle;
  readonly heard: string[];
}

function listened(): Heard {
  const heard: string[] = [];
  const life = new Lifecycle(
    (kind, detail) => heard.push(`${kind} ${detail}`.trim()),
    () => heard.push('cleared'),
  );
  return { life, heard };
}

test('what ends is cleared up once, and told of no more', async () => {
  const { life, heard } = listened();
  await life.begin(() => Promise.resolve(life.report('started', '')));
  life.end();
  life.end();
  life.report('exited', 'by SIGKILL');
  expect(heard).toEqual(['started', 'cleared']);
});

test('what ends while it is begun is cleared up behind the last step', async () => {
  const { life, heard } = listened();
  await life.begin(async () => {
    life.end();
    await Promise.resolve();
    heard.push('last step');
  });
  expect(heard).toEqual(['last step', 'cleared']);
});

test('a step that fails is told', async () => {
  const { life, heard } = listened();
  await life.begin(() => Promise.reject(new Error('no such file')));
  expect(heard).toEqual(['start-failed no such file']);
  expect(life.over).toBe(false);
});
