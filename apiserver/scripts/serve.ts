/** Serves the API server on a plain-text socket, for benchmarks: prints `http://127.0.0.1:PORT`, and serves until it is killed. */
import { serveHttp } from '../http.ts';
import { startApiServer } from '../index.ts';

const { url } = await serveHttp(startApiServer().server);
console.log(url);
