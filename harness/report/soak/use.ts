/** Combines a target process's use of system resources over a soak: one series for each machine. */
import type { CampaignResult, TargetUse } from '../../model/finding.ts';
import type { UseColumns } from '../../model/soak.ts';
import type { BatchPart } from './parts.ts';

/** Converts samples to the columns that a batch stores; undefined for a target that is not a process. */
export function useColumns({ targetUse }: Pick<CampaignResult, 'targetUse'>): UseColumns | undefined {
  if (targetUse === undefined) return undefined;
  const { atRest, counted, reconciles } = targetUse;
  return {
    pids: atRest.map(({ pid }) => pid),
    fileDescriptors: atRest.map(({ fileDescriptors }) => fileDescriptors),
    threads: atRest.map(({ threads }) => threads),
    memoryKb: atRest.map(({ memoryKb }) => memoryKb),
    requests: atRest.map(({ requests }) => requests),
    counted,
    reconciles,
  };
}

/** Combines all batches, with a unique number for each process. */
export function useOf(batches: readonly BatchPart[]): TargetUse | undefined {
  const uses = batches.flatMap(({ on, result }) => (result?.use === undefined ? [] : [{ on, use: result.use }]));
  if (uses.length === 0) return undefined;
  const numbers = new Map<string, number>();
  const reconciles = new Map<string, number>();
  const atRest = uses.flatMap(({ on, use }, batch) =>
    use.pids.map((pid, index) => {
      const process = `${batch} ${pid}`;
      numbers.set(process, numbers.get(process) ?? numbers.size + 1);
      return {
        on,
        pid: numbers.get(process) ?? 0,
        fileDescriptors: use.fileDescriptors[index] ?? 0,
        threads: use.threads[index] ?? 0,
        memoryKb: use.memoryKb[index] ?? 0,
        requests: use.requests[index] ?? 0,
      };
    }),
  );
  for (const { use } of uses) {
    for (const [result, count] of Object.entries(use.reconciles))
      reconciles.set(result, (reconciles.get(result) ?? 0) + count);
  }
  const counted = uses.reduce((sum, { use }) => sum + use.counted, 0);
  return { atRest, counted, reconciles: Object.fromEntries(reconciles) };
}
