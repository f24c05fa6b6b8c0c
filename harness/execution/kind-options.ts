/** Options of a kind cluster, as a configuration has them: checked, with absolute paths. */
import { resolve } from 'node:path';
import { z } from 'zod';
import type { KindOptions } from '../model/kind-options.ts';

export const kindSchema: z.ZodType<KindOptions> = z.strictObject({
  image: z.string().min(1).exactOptional(),
  kubernetesVersion: z
    .string()
    .regex(/^v?1\.\d+(\.\d+)?$/, 'expected a version as 1.34 or 1.34.2')
    .exactOptional(),
  configFile: z.string().min(1).exactOptional(),
  keep: z.boolean().exactOptional(),
});

export function resolveKind(options: KindOptions = {}, folder: string): KindOptions {
  const { configFile } = options;
  return configFile === undefined ? options : { ...options, configFile: resolve(folder, configFile) };
}
