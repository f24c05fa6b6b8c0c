import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { findingPage } from './html/index.ts';
import { tellStory } from './story.ts';
import { renderStory } from './terminal.ts';
import { lostUpdate } from './test-findings.ts';
import { waiverLine } from './waiver-line.ts';

it('is the last line of a story, and stands on the page', () => {
  const line = waiverLine(lostUpdate());

  const story = renderStory(tellStory(lostUpdate()), { width: 60, color: false, replay: 'r' });

  expect(story.trimEnd().split('\n').at(-1)).toBe(` waive: ${line}`);
  expect(findingPage(lostUpdate(), {})).toContain('If it has to wait');
});

it('reads alike in YAML and in TypeScript, and leaves reason and day to whoever pastes it', () => {
  const line = waiverLine(lostUpdate());

  expect(parse(line)).toMatchObject({ property: 'no-lost-update', kind: 'deployments.apps', reason: '', expires: '' });
  expect({ ...runInNewContext(`(${line})`) }).toEqual(parse(line));
});

it('survives a field with quotes in its name', () => {
  const finding = lostUpdate();
  const signature = { ...finding.violation.signature, field: `metadata.labels["it's"]` };

  const line = waiverLine({ ...finding, violation: { ...finding.violation, signature } });

  expect(parse(line)).toMatchObject({ field: `metadata.labels["it's"]` });
});
