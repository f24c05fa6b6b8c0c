/** SHA-256 of the launchers beside this file. Written by `node scripts/launcher.ts build`. */
export const DIGESTS: { readonly [name: string]: string } = {
  'launch-x64': 'c56135f4814fd7ff6174e6786cdf072030a9abd252efb83b54f66a81f0099895',
  'launch-arm64': 'a05496963f59c79b537b38502fc742271b175bb4683e62074f849c8f5b40d82b',
};
