/** SHA-256 of the launchers beside this file. Written by `node scripts/launcher.ts build`. */
export const DIGESTS: { readonly [name: string]: string } = {
  'launch-x64': 'cfee8d8457823a20495ecdef6eb0a78bcf54d114545c7ffc26c333df7b2f0d7f',
  'launch-arm64': 'e387ebea8946a2d2d1e2dbce67a00b4863475a06c07c4c13f3a73c4fcc018ee2',
};
