import { describe, expect, it } from 'vitest';
import { laterOccurrence, partsOf, requestLabel, streamLabel, withoutOccurrence } from './label.ts';

const UPDATE = requestLabel({
  actor: 'controller',
  verb: 'update',
  resource: 'deployments.apps',
  subresource: 'status',
  namespace: 'shop',
  name: 'web',
});
const STREAM = streamLabel('controller', 'pods', 'shop', 'app.kubernetes.io/name=web');

describe('a label taken apart', () => {
  it('says what request it is, how often it came and which moment of it is meant', () => {
    expect(partsOf(`${UPDATE}#3!sent`)).toEqual({
      actor: 'controller',
      verb: 'update',
      resource: 'deployments.apps',
      rest: ['status', 'shop', 'web'],
      stem: UPDATE,
      occurrence: 3,
      marks: '!sent',
    });
    expect(partsOf(`${UPDATE}#0!setup!answered`)).toMatchObject({ stem: UPDATE, marks: '!setup!answered' });
    expect(partsOf(UPDATE)).not.toHaveProperty('occurrence');
  });

  it('says which event of which stream it is, whatever the selector holds', () => {
    expect(partsOf(`${STREAM}#1`)).toMatchObject({ verb: 'watch', resource: 'pods', stem: STREAM, marks: '' });
    expect(partsOf(`${STREAM}#1`)).not.toHaveProperty('event');
    expect(partsOf(`${STREAM}#1/web-0@-2`)).toMatchObject({
      stem: STREAM,
      occurrence: 1,
      event: { name: 'web-0', k: -2 },
    });
  });

  it('leaves the signs in the names of objects alone', () => {
    const role = 'controller/get/clusterroles.rbac.authorization.k8s.io/-/a#1@b';

    expect(partsOf(`${role}#0!sent`)).toMatchObject({ stem: role, occurrence: 0 });
    expect(partsOf('controller/watch/clusterroles/*#0/a#1@b@3')).toMatchObject({
      stem: 'controller/watch/clusterroles/*',
      event: { name: 'a#1@b', k: 3 },
    });
  });

  it('says the same of what comes late', () => {
    expect(partsOf(`${UPDATE}#3!sent!late`)).toMatchObject({ stem: UPDATE, occurrence: 3, marks: '!sent!late' });
    expect(partsOf(`${STREAM}#1/web-0@2!late`)).toMatchObject({ stem: STREAM, event: { name: 'web-0', k: 2 } });
  });

  it('says whose a timer is', () => {
    expect(partsOf('controller/timer#4')).toMatchObject({ actor: 'controller', verb: 'timer', resource: '', rest: [] });
  });
});

describe('the number of a label', () => {
  it('is counted up and down for all but events', () => {
    expect(laterOccurrence(`${UPDATE}#1!sent`, 2)).toBe(`${UPDATE}#3!sent`);
    expect(laterOccurrence(`${STREAM}#1`, -1)).toBe(`${STREAM}#0`);
    expect(laterOccurrence(`${UPDATE}#0!sent`, -1)).toBeUndefined();
    expect(laterOccurrence(`${STREAM}#1/web-0@2`, 1)).toBeUndefined();
    expect(laterOccurrence('heal', 1)).toBeUndefined();
  });

  it('is taken off requests alone', () => {
    expect(withoutOccurrence(`${UPDATE}#1!answered`)).toBe(UPDATE);
    expect(withoutOccurrence(`${STREAM}#1`)).toBeUndefined();
    expect(withoutOccurrence(`${STREAM}#1/web-0@2`)).toBeUndefined();
    expect(withoutOccurrence('controller/timer#0')).toBeUndefined();
  });
});
