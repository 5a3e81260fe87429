import { BODY_LIMIT_BYTES, type PageAnswer, type PageRequest, Refused, type StreamReader } from './http.ts'
import { parsed } from './node-host.ts'

export function fetchRequest(request: Request): PageRequest {
  const { pathname, searchParams } = new URL(request.url)
  return {
    method: request.method === 'HEAD' ? 'GET' : request.method,
    path: pathname,
    query: searchParams,
    header: (name) => request.headers.get(name) ?? undefined,
    json: () => readJson(request),
  }
}

async function readJson(request: Request): Promise<unknown> {
  if (request.bodyUsed) throw new Refused('invalid', 'Something in front of the page has read the body.')
  if (Number(request.headers.get('content-length')) > BODY_LIMIT_BYTES) throw tooLarge()
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of request.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > BODY_LIMIT_BYTES) throw tooLarge()
  }
  return parsed(text + decoder.decode())
}

function tooLarge(): Refused {
  return new Refused('too_large', 'The body is too large.')
}

export function fetchAnswer({ status, headers, body, stream }: PageAnswer): Response {
  return new Response(stream ? streamBody(body, stream) : body, { status, headers })
}

function streamBody(first: string, stream: NonNullable<PageAnswer['stream']>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let left = () => {}
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const reader: StreamReader = {
        write: (text) => controller.enqueue(encoder.encode(text)),
        isSlow: () => (controller.desiredSize ?? 0) < 0,
        end() {
          left()
          controller.close()
        },
      }
      controller.enqueue(encoder.encode(first))
      left = stream(reader)
    },
    cancel: () => left(),
  })
}
