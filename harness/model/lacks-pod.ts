/** Matches what clients in Go, Python, Rust and JavaScript say of a program that expects to run in a pod, and does not. */
export const LACKS_POD: RegExp =
  /KUBERNETES_SERVICE_(?:HOST|PORT)|in-?cluster (?:config|environment)|ReadEnvironmentVariable|Service host\/port is not set|kubernetes\.io\/serviceaccount|https:\/\/undefined/i;
