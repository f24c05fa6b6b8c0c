/** SHA-256 of the launchers beside this file. Written by `node scripts/launcher.ts build`. */
export const DIGESTS: { readonly [name: string]: string } = {
  'launch-x64': '2a083b7c9e827646dfcf54fc04721425552a081c415a2d3b2ff094c4d77f8779',
  'launch-arm64': '246400c5a96a1ffd9afde9e28ceac6f637d588c87edbcd541b084449cd280313',
};
