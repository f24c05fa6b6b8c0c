/** SHA-256 of the launchers beside this file. Written by `node scripts/launcher.ts build`. */
export const DIGESTS: { readonly [name: string]: string } = {
  'launch-x64': '6ad64a828800d89c8d2dd30a3b690b12792212b652832d1da0952dfac4b85db6',
  'launch-arm64': 'a6c1588e86eb9d335fb485752b5541dd022b28a9950420ae38edb412a5dd9e6b',
};
