/** SHA-256 of the launchers beside this file. Written by `node scripts/launcher.ts build`. */
export const DIGESTS: { readonly [name: string]: string } = {
  'launch-x64': '8e625187653f43613f9686f20e46c85e565fc07c9fbf353bf0220b7ec037aa36',
  'launch-arm64': '8e2206f78b58b1b02f2e8d886048b3a38c3de92a3cf2496d3d7e417e6d21489c',
};
