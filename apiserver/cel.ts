/** CEL as an API server evaluates it. */
export { compileExpression } from './server/cel/environment.ts';
export { toDynamic } from './server/cel/shapes.ts';
