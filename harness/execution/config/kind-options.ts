/** The options of a kind cluster in a configuration: their schema, and absolute paths. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { KUBERNETES_VERSION, KUBERNETES_VERSION_FORM, type KindOptions } from '../../model/kind-options.ts';

export const kindSchema: z.ZodType<KindOptions> = z.strictObject({
  image: z.string().min(1).exactOptional(),
  kubernetesVersion: z.string().regex(KUBERNETES_VERSION, KUBERNETES_VERSION_FORM).exactOptional(),
  configFile: z.string().min(1).exactOptional(),
  keep: z.boolean().exactOptional(),
});

export function resolveKind(options: KindOptions = {}, folder: string): KindOptions {
  const { configFile } = options;
  return configFile === undefined ? options : { ...options, configFile: resolve(folder, configFile) };
}
