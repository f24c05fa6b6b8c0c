/** Opens idle watches over HTTP/2 and prints a line once all are open: `http-watches.ts URL TOKEN COUNT`. */
import { connect } from 'node:http2';

const [url = '', token = '', count = '0'] = process.argv.slice(2);
/** kube-apiserver's limit on streams per connection, which client-go therefore uses. */
const PER_CONNECTION = 100;
const PATH =
  '/api/v1/namespaces/kube-system/secrets?watch=1&allowWatchBookmarks=true&timeoutSeconds=3600&resourceVersion=';

function opened(session: ReturnType<typeof connect>, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path, authorization: `Bearer ${token}`, accept: 'application/json' });
    stream.once('error', reject);
    let text = '';
    stream.on('data', (piece: Buffer) => (text += piece.toString()));
    if (path.includes('watch=1')) stream.once('response', () => resolve(''));
    else stream.once('end', () => resolve(text));
  });
}

const first = connect(url, { rejectUnauthorized: false });
const list = await opened(first, '/api/v1/namespaces/kube-system/secrets?limit=1');
const { metadata } = JSON.parse(list) as { metadata: { resourceVersion: string } };
for (let open = 0; open < Number(count); open += PER_CONNECTION) {
  const session = connect(url, { rejectUnauthorized: false });
  await Promise.all(Array.from({ length: PER_CONNECTION }, () => opened(session, PATH + metadata.resourceVersion)));
}
process.stdout.write('open\n');
