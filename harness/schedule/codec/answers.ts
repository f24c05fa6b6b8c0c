/** Validates declared answers of pods and services: in a configuration, in a separate file, and in stored findings. */
import { z } from 'zod';
import type {
  ExecAnswer,
  HttpAnswer,
  KubeletAnswers,
  LogAnswer,
  OutsideAnswer,
  PortAnswer,
  ServiceAnswer,
  Speech,
  TcpLine,
} from 'stalemate-apiserver/wire/declared-answers';
import { patternFault } from 'stalemate-apiserver/wire/go-regexp';
import type { Shape } from './common.ts';
import type { Format } from './format.ts';

const pattern = z.string().refine((text) => patternFault(text) === undefined, {
  error: ({ input }) => `expected a regular expression (RE2): ${patternFault(String(input)) ?? ''}`,
});
/** The name of a resource; `*` matches any text. */
const name = z.string().regex(/^[a-z0-9*]([-a-z0-9.*]*[a-z0-9*])?$/, 'expected a name, in which "*" is any text');

const containers = {
  namespace: name.exactOptional(),
  pod: name.exactOptional(),
  container: name.exactOptional(),
};

const exec: z.ZodType<ExecAnswer> = z.strictObject({
  ...containers,
  command: pattern.meta({ description: 'Searched in the words of the command, joined by spaces' }),
  after: pattern.exactOptional().meta({ description: 'Found in a command of the pod that has run before' }),
  stdin: pattern.exactOptional().meta({ description: 'Searched in the standard input of the command' }),
  stdout: z.string().exactOptional(),
  stderr: z.string().exactOptional(),
  exitCode: z.int().min(0).max(255).exactOptional(),
} satisfies Shape<ExecAnswer>);

const log: z.ZodType<LogAnswer> = z.strictObject({
  ...containers,
  previous: z.boolean().exactOptional(),
  text: z.string(),
} satisfies Shape<LogAnswer>);

const httpShape = {
  method: z
    .string()
    .regex(/^[A-Za-z]+$/, 'expected a method, such as GET')
    .exactOptional(),
  path: pattern.exactOptional().meta({ description: 'For the whole path with its query' }),
  status: z.int().min(200).max(599).exactOptional(),
  headers: z
    .record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected the name of a header'), z.string().regex(/^[\t -~]*$/))
    .exactOptional(),
  body: z.string().exactOptional(),
} satisfies Shape<Omit<HttpAnswer, 'after'>>;

const http: z.ZodType<HttpAnswer> = z.strictObject({
  ...httpShape,
  after: pattern.exactOptional().meta({ description: 'Found in a request that has come before, as "POST /path"' }),
} satisfies Shape<HttpAnswer>);

const line: z.ZodType<TcpLine> = z.strictObject({
  expect: pattern.exactOptional(),
  send: z.string().exactOptional(),
  close: z.literal(true).exactOptional(),
} satisfies Shape<TcpLine>);

const tcp = z.array(line).exactOptional();

const ONE_SPEECH = 'expected either "http" or "tcp"';

/** Reports whether exactly one kind of answer is given. */
function isOneSpeech({ http: web, tcp: lines }: Speech): boolean {
  return (web === undefined) !== (lines === undefined);
}

const port = z.int().min(1).max(65_535);

const ports: z.ZodType<PortAnswer> = z
  .strictObject({
    namespace: containers.namespace,
    pod: containers.pod,
    port,
    http: z.array(z.strictObject(httpShape)).exactOptional(),
    tcp,
  } satisfies Shape<PortAnswer>)
  .refine(isOneSpeech, ONE_SPEECH);

const service: z.ZodType<ServiceAnswer> = z.strictObject({
  namespace: containers.namespace,
  service: name,
  port: z.union([port, z.string().min(1)]).exactOptional(),
  http: z.array(http),
} satisfies Shape<ServiceAnswer>);

const outside: z.ZodType<OutsideAnswer> = z
  .strictObject({
    host: name.meta({ description: 'The name that the target looks up' }),
    port,
    tls: z.literal(true).exactOptional().meta({ description: 'Over TLS, with a certificate that the target trusts' }),
    http: z.array(http).exactOptional(),
    tcp,
  } satisfies Shape<OutsideAnswer>)
  .refine(isOneSpeech, ONE_SPEECH);

const lists = {
  exec: z.array(exec).exactOptional(),
  logs: z.array(log).exactOptional(),
  portForward: z.array(ports).exactOptional(),
  serviceProxy: z.array(service).exactOptional(),
  outside: z.array(outside).exactOptional(),
} satisfies Shape<KubeletAnswers>;

export const answersSchema: z.ZodType<KubeletAnswers> = z.strictObject(lists).meta({
  id: 'Answers',
  description: 'What pods and services answer; in each list the first match applies',
});

/** A file of answers. */
export interface AnswersFile extends KubeletAnswers {
  readonly version: 1;
  readonly kind: 'answers';
}

export const ANSWERS: Format<AnswersFile> = {
  kind: 'answers',
  version: 1,
  schema: z
    .strictObject({ version: z.literal(1), kind: z.literal('answers'), ...lists } satisfies Shape<AnswersFile>)
    .meta({ id: 'AnswersFile', description: 'What pods and services answer, in a file of its own' }),
  upgrades: [],
};
