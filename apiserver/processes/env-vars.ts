/** Environment variables, as in `process.env`. */
export interface EnvVars {
  readonly [name: string]: string | undefined;
}
