/** The CEL implementation of the API server. */
export { compileExpression } from './server/cel/environment.ts';
export { toDynamic } from './server/cel/shapes.ts';
