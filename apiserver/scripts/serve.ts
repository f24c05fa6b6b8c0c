/** The server behind a socket in the clear, for programs that measure it: prints `http://127.0.0.1:PORT`, and serves until it is ended. */
import { serveHttp } from '../http.ts';
import { startApiServer } from '../index.ts';

const { url } = await serveHttp(startApiServer().server);
console.log(url);
