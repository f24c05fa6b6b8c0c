import { describe, expect, it } from 'vitest';
import { isMetricsUrl, reconcilesIn } from './prometheus.ts';

const CONTROLLER_RUNTIME = `
# HELP controller_runtime_reconcile_total Total number of reconciliations per controller
# TYPE controller_runtime_reconcile_total counter
controller_runtime_reconcile_errors_total{controller="widget"} 3
controller_runtime_reconcile_total{controller="widget",result="error"} 3
controller_runtime_reconcile_total{controller="widget",result="success"} 12
controller_runtime_reconcile_total{controller="gadget \\"a\\" {x}",result="success"} 1e+01
controller_runtime_reconcile_time_seconds_sum{controller="widget"} 0.01
go_goroutines 42
`;

describe('reconciles in metrics', () => {
  it('are those of all controllers, by result', () => {
    expect(reconcilesIn(CONTROLLER_RUNTIME)).toEqual({ error: 3, success: 22 });
  });

  it('go by the name of the counter where another library counts them', () => {
    const text =
      'operator_sdk_reconciliations_total 7\nmy_reconcile_failures_total 2\nreconcile_duration_seconds_total 1.5';

    expect(reconcilesIn(text)).toEqual({ operator_sdk_reconciliations_total: 7 });
  });

  it('are unknown where nothing counts them', () => {
    expect(reconcilesIn('go_goroutines 42\nbroken {\n')).toBeUndefined();
  });
});

describe('an address of metrics', () => {
  it.each(['http://127.0.0.1:{port:metrics}/metrics', 'https://localhost:8443/metrics', 'http://127.0.0.1:{port}'])(
    '%s is one',
    (text) => {
      expect(isMetricsUrl(text)).toBe(true);
    },
  );

  it.each(['http://example.com:80/metrics', 'localhost:8080', 'http://127.0.0.1/metrics', 'http://127.0.0.1:{prt}/'])(
    '%s is none',
    (text) => {
      expect(isMetricsUrl(text)).toBe(false);
    },
  );
});
