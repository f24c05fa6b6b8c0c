/** The environment of a finding: versions, seed, target, settings, and how the run ended. */
import { assertNever } from '../../model/errors.ts';
import type { Counterexample, CounterexampleTarget } from '../../model/counterexample.ts';
import type { FindingStats } from '../../model/finding.ts';
import type { History, Settlement } from '../../model/history.ts';
import { scheduleSize } from '../../model/schedule.ts';
import { countText } from '../count-text.ts';
import type { ReportDocument } from './document.ts';

export function environmentOf(
  history: History,
  counterexample: Counterexample,
  stats: FindingStats | undefined,
): ReportDocument['environment'] {
  const { cluster = 'embedded', config, foundWith, target, namespace, workload, schedule } = counterexample;
  const rows: [string, string][] = [
    ['stalemate', foundWith.stalemate],
    ['Node', foundWith.node],
    ['Target', targetText(target)],
    ['API server', cluster === 'embedded' ? 'embedded, in memory' : `a real one (${cluster})`],
    ['Namespace', namespace],
    ['Seed', String(config.seed)],
    ['Time', timeText(target, cluster)],
    [
      'Start',
      workload.start === 'settled' ? 'sample applied, target at rest' : 'applying the sample is part of the run',
    ],
    ['Sample', workload.sample.map(({ kind, metadata }) => `${kind}/${metadata.name ?? ''}`).join(', ') || 'empty'],
    ['Programs', workload.programs.map(({ actor, writer }) => `${actor} (${writer})`).join(', ') || 'none'],
    ['Schedule', `${countText(scheduleSize(schedule), 'deviation')} from the default order`],
    ['Replicas', String(config.replicasMax)],
    ['Steps', String(history.steps)],
    ['Ended', settlementText(history.settlement)],
  ];
  if (stats !== undefined) {
    rows.push(['Seen', `in ${countText(stats.count, 'run')} of the campaign when this was written`]);
  }
  return rows.map(([name, value]) => ({ name, value }));
}

function timeText(target: CounterexampleTarget, cluster: string): string {
  if (cluster !== 'embedded') return 'real';
  if (!('command' in target)) return 'virtual: every step is decided by the schedule';
  return target.time === 'virtual' ? 'virtual, where the host permits it' : 'real';
}

function targetText(target: CounterexampleTarget): string {
  return 'command' in target
    ? `${target.command.join(' ')} (in ${target.directory})`
    : `${target.module} (${target.transport})`;
}

function settlementText(settlement: Settlement): string {
  switch (settlement.result) {
    case 'quiescent':
      return `at rest for ${settlement.windowMs} ms`;
    case 'steps-exceeded':
      return `still busy after ${settlement.steps} steps`;
    case 'hot-instant':
      return `${settlement.steps} steps without time passing`;
    case 'time-exceeded':
      return `still busy after ${settlement.timeMs} ms`;
    case 'never-started':
      return `never started: ${settlement.detail}`;
    case 'cut-short':
      return `cut short: ${settlement.detail}`;
    default:
      return assertNever(settlement);
  }
}
