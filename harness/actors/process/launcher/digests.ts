/** SHA-256 of the launchers beside this file. Written by `node scripts/launcher.ts build`. */
export const DIGESTS: { readonly [name: string]: string } = {
  'launch-x64': '6f7c420b5075e961812cae73d6c5acd5cba43eb3f7586ef1a1e9cea92783bc69',
  'launch-arm64': '8e2206f78b58b1b02f2e8d886048b3a38c3de92a3cf2496d3d7e417e6d21489c',
};
