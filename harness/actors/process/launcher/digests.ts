/** SHA-256 of the launchers beside this file. Written by `node scripts/launcher.ts build`. */
export const DIGESTS: { readonly [name: string]: string } = {
  'launch-x64': 'bb5a66a698dac609a55e7a951a70412bb1d5f99161240940c7e74e603cc698cd',
  'launch-arm64': '969504d39e5a4c6244d7f726cb0a3f88857fd93fb715f1c45fefcbb4526ee3e9',
};
