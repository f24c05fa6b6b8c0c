/** SHA-256 of the launchers beside this file. Written by `node scripts/launcher.ts build`. */
export const DIGESTS: { readonly [name: string]: string } = {
  'launch-x64': 'fe29b0e3b10684abc51a84b03f98211e53176cf0da2e411571f340d2e0d71e8c',
  'launch-arm64': 'bc8dd492c0587d036b79c69b1788e89f48bb0b49d0b7c3b649d38d79b02195a2',
};
