/** Calls a function as an HTTP API does: headers in lower case, repeated ones joined by a comma, bytes in base64. */
import { isUtf8 } from 'node:buffer'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { handler } from '../../../examples/mounting/lambda.ts'

createServer((request, response) => void answer(request, response)).listen(Number(process.env['PORT']))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request)
  const isBase64Encoded = request.headers['content-type'] !== 'application/json' || !isUtf8(body)
  const given = await handler({
    rawPath: request.url ?? '/',
    headers: Object.fromEntries(
      Object.entries(request.headersDistinct).map(([name, all = []]) => [name, all.join(',')]),
    ),
    ...(body.length > 0 && { body: body.toString(isBase64Encoded ? 'base64' : 'utf8') }),
    isBase64Encoded,
    requestContext: { http: { method: request.method ?? '' } },
  })
  response.writeHead(given.statusCode, given.headers).end(given.body)
}
