/** SHA-256 of the launchers beside this file. Written by `node scripts/launcher.ts build`. */
export const DIGESTS: { readonly [name: string]: string } = {
  'launch-x64': 'fc2a6a397f1276af93a5305a2acc7b9ccb79096708bef746ec729d123c080137',
  'launch-arm64': '8e2206f78b58b1b02f2e8d886048b3a38c3de92a3cf2496d3d7e417e6d21489c',
};
