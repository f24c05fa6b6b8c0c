/**
 * Pins of third-party actions and images in our CI files: actions by the commit of a release, the image by its digest.
 *
 * Owns: the pins. `ci/github` and `ci/gitlab` use the same ones (`scripts/ci-files.test.ts` compares them). The comment after a
 * commit names the release that was tagged there; tools that update pins (Dependabot, Renovate) read and rewrite both.
 */
export const ACTIONS = {
  checkout: 'actions/checkout@d23441a48e516b6c34aea4fa41551a30e30af803 # v6.1.0',
  setupNode: 'actions/setup-node@249970729cb0ef3589644e2896645e5dc5ba9c38 # v6.5.0',
  uploadArtifact: 'actions/upload-artifact@b7c566a772e6b6bfb58ed0dc250532a479d7789f # v6.0.0',
  downloadArtifact: 'actions/download-artifact@37930b1c2abaa49bbe596cd826c3c89aef350131 # v7.0.0',
  setupGo: 'actions/setup-go@924ae3a1cded613372ab5595356fb5720e22ba16 # v6.5.0',
  setupPython: 'actions/setup-python@ece7cb06caefa5fff74198d8649806c4678c61a1 # v6.3.0',
  setupJava: 'actions/setup-java@b6effb05e454b25005698d916606bdc6ffcbf961 # v5.7.0',
  cache: 'actions/cache@27d5ce7f107fe9357f9df03efb73ab90386fccae # v5.0.5',
} as const;

/** The digest of the multi-platform image. */
export const NODE_IMAGE =
  'node:24.21.0-bookworm@sha256:64af3819f9275802414d7cdc38c27e9d82bd564dec4d4da87d008255d36c63b4';
