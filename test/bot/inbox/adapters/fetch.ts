import { headersOf } from '../signing.ts'

type Stream = ReadableStream<Uint8Array>

/** A request of the fetch standard. Bytes are signed unless `headers` are given; other members replace the defaults. */
export function requestOf(
  body: Uint8Array | Stream | null,
  o: { method?: string; path?: string; headers?: Record<string, string | undefined> } = {},
): Request {
  const { method = 'POST', path = '/webhooks/messages' } = o
  const sent = { ...(body instanceof Uint8Array && headersOf(body)), ...o.headers }
  const headers = Object.entries(sent).filter((one): one is [string, string] => one[1] !== undefined)
  return new Request(`http://shop.example${path}`, { method, headers, body: body as never, duplex: 'half' } as never)
}

/** A response in plain form, to compare. */
export async function shown(response: Response) {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
}

/** A body to which a test writes piece by piece. */
export function openBody() {
  let control: ReadableStreamDefaultController<Uint8Array> | undefined
  const stream: Stream = new ReadableStream<Uint8Array>({
    start(controller) {
      control = controller
    },
  })
  return {
    stream,
    put(...chunks: Uint8Array[]) {
      for (const chunk of chunks) control?.enqueue(chunk)
    },
    end: () => control?.close(),
  }
}

/** A body that gives as much as is read, up to far more than anybody should read. */
export function endlessBody(size: number) {
  let given = 0
  let cancelled = false
  const stream: Stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      given += size
      if (given > 16_777_216) controller.close()
      else controller.enqueue(new Uint8Array(size))
    },
    cancel() {
      cancelled = true
    },
  })
  return { stream, given: () => given, cancelled: () => cancelled }
}

/** Reads this many chunks and releases the reader. */
export async function bytesIn(request: Request, chunks: number): Promise<void> {
  const reader = (request.body as Stream).getReader()
  for (let chunk = 0; chunk < chunks; chunk++) await reader.read()
  reader.releaseLock()
}
