/** SHA-256 of the launchers beside this file. Written by `node scripts/launcher.ts build`. */
export const DIGESTS: { readonly [name: string]: string } = {
  'launch-x64': 'a9860fecf18eecdd499e126352b633466cd0da1ccc5105113df4aba73c41120d',
  'launch-arm64': '8e2206f78b58b1b02f2e8d886048b3a38c3de92a3cf2496d3d7e417e6d21489c',
};
