/** A server that hands each request to another one, as a balancer does, and as the service's own front. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as ask } from 'node:http'
import { buffer } from 'node:stream/consumers'

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** Gives the first answer of the servers that `choose` names, tried one after the other; 502 if none has one. */
export async function openForward(
  { port, host }: { port: number; host: string },
  choose: (request: IncomingMessage) => readonly string[],
) {
  const server = createServer((request, response) => {
    const answered = firstAnswer(request, choose(request)).then(({ status, headers, bytes }) =>
      response.writeHead(status, headers).end(bytes),
    )
    answered.catch(() => response.destroy())
  })
  await new Promise<void>((done, fail) => server.once('error', fail).listen(port, host, done))
  return {
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const NONE: Answer = { status: 502, headers: {}, bytes: Buffer.alloc(0) }

/** A request whose server has died may be asked again: deliveries and sends are known by their keys. */
async function firstAnswer(request: IncomingMessage, targets: readonly string[]): Promise<Answer> {
  const body = await buffer(request)
  for (const target of targets) {
    const answer = await answerOf(target, request, body).catch(() => undefined)
    if (answer) return answer
  }
  return NONE
}

function answerOf(target: string, { url = '/', method, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((done, fail) => {
    const onward = ask(target + url, { method, headers: { ...headers, host: new URL(target).host } }, (answer) => {
      const given = { status: answer.statusCode ?? 502, headers: answer.headers }
      buffer(answer).then((bytes) => done({ ...given, bytes }), fail)
    })
    onward.once('error', fail).end(body)
  })
}
