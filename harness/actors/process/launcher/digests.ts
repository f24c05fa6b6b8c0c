/** SHA-256 of the launchers beside this file. Written by `node scripts/launcher.ts build`. */
export const DIGESTS: { readonly [name: string]: string } = {
  'launch-x64': '99b368b40a780597075c731337a3b054cfcaaf76c4ebb0845e5b7ee4277112e4',
  'launch-arm64': '8e2206f78b58b1b02f2e8d886048b3a38c3de92a3cf2496d3d7e417e6d21489c',
};
