/** The public exports of `stalemate-apiserver`. */
export { ApiServerError, type ApiServerErrorCode } from './objects/errors.ts';
export type { KubeObject } from './objects/object.ts';
export { builtInResources } from './server/kinds/table.ts';
export { ApiServer } from './server/server.ts';
export type {
  ApiServerOptions,
  AuthorizationMode,
  CallOutAnswer,
  CallOutFunction,
  CommittedChange,
  DeniedRequest,
  ServerSnapshot,
  Undeclared,
} from './server/server.ts';
export { RunningApiServer, startApiServer } from './running.ts';
export type { ClientNodeModule, ClientOptions, Listening, StartOptions } from './running.ts';
