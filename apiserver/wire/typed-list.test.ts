import { expect, it } from 'vitest';
import { listAsSent } from './typed-list.ts';

const item = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };

it('removes the type of items in built-in lists', () => {
  const list = { apiVersion: 'apps/v1', kind: 'DeploymentList', metadata: {}, items: [item] };

  expect(listAsSent(list)).toEqual({ ...list, items: [{ metadata: { name: 'a' } }] });
});

it('keeps lists of custom resources and bodies that are not lists', () => {
  const custom = { apiVersion: 'example.com/v1', kind: 'WidgetList', metadata: {}, items: [item] };

  expect(listAsSent(custom)).toBe(custom);
  expect(listAsSent(item)).toBe(item);
  expect(listAsSent('text')).toBe('text');
});
