/** SHA-256 of the launchers beside this file. Written by `node scripts/launcher.ts build`. */
export const DIGESTS: { readonly [name: string]: string } = {
  'launch-x64': '403b2943d402f04d31fb76953d2b3a08398ed88ee5474aab3667a653209e611b',
  'launch-arm64': '451426835833a5ab1023f397f56a78b6c82da9c7fa0253c134f2dc00f613d606',
};
