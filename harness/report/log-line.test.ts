import { describe, expect, it } from 'vitest';
import { logText, readLogLine } from './log-line.ts';

const ESC = String.fromCodePoint(27);

describe('log lines as a person would say them', () => {
  it.each([
    [
      'zap, JSON',
      '{"level":"error","ts":"2026-11-22T06:21:36Z","msg":"Reconciler error","controller":"fleet","controllerGroup":"games.example.com","controllerKind":"Fleet","Fleet":{"name":"arena","namespace":"default"},"namespace":"default","name":"arena","reconcileID":"9f","error":"the object has been modified","stacktrace":"a\\nb"}',
      'ERROR Reconciler error (default/arena): the object has been modified',
    ],
    [
      'zap, console',
      '2026-11-22T06:21:36Z\tINFO\tcontroller.fleet\tcreated a pod\t{"name": "arena", "namespace": "default", "pod": "arena-x"}',
      'created a pod (default/arena) pod=arena-x',
    ],
    [
      'klog, structured',
      'E1122 06:21:36.123456       1 controller.go:123] "Reconciler error" err="boom: \\"x\\"" object="default/web"',
      'ERROR Reconciler error (default/web): boom: "x"',
    ],
    ['klog, plain', 'W1122 06:21:36.123456       1 reflector.go:5] watch closed', 'WARN watch closed'],
    ['logfmt', 'time=2026-11-22T06:21:36Z level=warn msg="slow answer" pod=web-0', 'WARN slow answer pod=web-0'],
    [
      'kopf',
      "[2026-11-22 06:21:36,123] kopf.objects         [ERROR   ] [default/web] Handler 'fn' failed",
      "ERROR Handler 'fn' failed (default/web)",
    ],
    [
      'tracing, JSON',
      '{"timestamp":"2026-11-22T06:21:36Z","level":"WARN","fields":{"message":"reconcile failed","error":"409"},"target":"fleets"}',
      'WARN reconcile failed: 409',
    ],
    [
      'tracing, coloured',
      `${ESC}[2m2026-11-22T06:21:36.1Z${ESC}[0m ${ESC}[32m INFO${ESC}[0m fleets: starting`,
      'fleets: starting',
    ],
    ['logback', '06:21:36.123 [main] ERROR c.e.Surveys - cannot update', 'ERROR cannot update'],
    [
      'pino',
      '{"level":50,"time":1,"pid":2,"hostname":"h","msg":"failed","err":{"message":"x"}}',
      'ERROR failed: {"message":"x"}',
    ],
    [
      'a recorder of events',
      '{"level":"info","ts":"2026-11-22T06:21:36Z","logger":"events","msg":"Normal","object":{"kind":"RayCluster","namespace":"default","name":"r1"},"reason":"Created","message":"Created worker pod"}',
      'Created worker pod (default/r1)',
    ],
    ['anything', 'listening on :8080', 'listening on :8080'],
    ['half of JSON', '{"level":"info","msg":', '{"level":"info","msg":'],
  ])('%s', (_, line, text) => {
    expect(logText(line)).toBe(text);
  });

  it('keep hostile names what they are', () => {
    expect(readLogLine('{"msg":"m","__proto__":{"name":"x"},"constructor":"y"}')).toMatchObject({
      message: 'm',
      object: 'x',
      fields: [['constructor', 'y']],
    });
  });
});
