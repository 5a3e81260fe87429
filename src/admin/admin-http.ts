import type { z } from 'zod'
import { parseJson } from '../base/value.ts'
import { PAGE_POLICY } from '../base/built-page.ts'
import { REFUSALS, type Refusal, type RefusalCode } from './requests.ts'

export interface PageRequest {
  readonly method: string
  /** The request's path. It may begin with the path at which the app mounted the page, or with a proxy's prefix. */
  readonly path: string
  readonly query: URLSearchParams
  header(name: string): string | undefined
  /** @throws Refused `too_large` above `BODY_LIMIT_BYTES` */
  text(): Promise<string>
  /** @throws Refused `too_large` above `limit` bytes */
  bytes(limit: number): Promise<Uint8Array>
}

/** The longest request body that `text()` reads. */
export const BODY_LIMIT_BYTES = 65_536

export const EVENT_STREAM = 'text/event-stream'

/** The headers of each answer. They replace headers that the app has set, for example with helmet. */
export const GUARDS = {
  'Content-Security-Policy': PAGE_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const

/** An error answer. The message is shown to the person. */
export class Refused extends Error {
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}

export function jsonAnswer(body: unknown, status = 200): Response {
  const headers = { ...GUARDS, 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' }
  return new Response(JSON.stringify(body), { status, headers })
}

export function csvAnswer(lines: AsyncIterable<string>, name: string): Response {
  const headers = {
    ...GUARDS,
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': 'no-store',
  }
  const rest = lines[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(out) {
      const { done, value } = await rest.next()
      if (done) out.close()
      else out.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await rest.return?.()),
  })
  return new Response(body, { headers })
}

export function refusalAnswer(code: RefusalCode, message: string): Response {
  return jsonAnswer({ error: code, message } satisfies Refusal, REFUSALS[code])
}

export function plainPage(status: number, sentence: string, more: Readonly<Record<string, string>> = {}): Response {
  const headers = { ...GUARDS, ...more, 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' }
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${status}</title><p>${sentence}</p></html>\n`
  return new Response(body, { status, headers })
}

/** @throws Refused `invalid` if the body is not JSON, `too_large` */
export async function jsonOf(request: PageRequest): Promise<unknown> {
  const json = parseJson(await request.text())
  if (json === undefined) throw new Refused('invalid', 'The body is not JSON, or another part of the app has read it.')
  return json
}

/** @throws Refused `invalid` with the first thing that is wrong */
export function checkedBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const { success, data, error } = schema.safeParse(body)
  if (success) return data
  const [issue] = error.issues
  throw new Refused('invalid', `${issue?.path.join('.') || 'body'}: ${issue?.message}`)
}
