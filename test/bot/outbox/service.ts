/** A service in memory with a phone behind it: each message that it accepts arrives there, even if its answer is lost. */

export interface Arrived {
  readonly to: string
  readonly said: string
  readonly key: string
}

/**
 * The outcome of one request: `taken`, or refused with this status and code. `lost`: taken, and the connection breaks before
 * the answer. `cut`: the connection breaks before the request is taken. `mute`: taken and never answered.
 */
export type Turn = 'taken' | 'lost' | 'cut' | 'mute' | Refusal

interface Refusal {
  readonly status: number
  readonly code?: string
  /** Seconds. */
  readonly retryAfter?: number
}

export interface Service {
  fetch: typeof fetch
  readonly phone: Arrived[]
  /** Each request's key, in order. */
  readonly asked: string[]
  readonly bodies: string[]
  /** The outcomes of the next requests; all later ones are taken. */
  script: Turn[]
  /** The outcome of every request, in place of the script. */
  always: Turn | undefined
  /** If false, a key is forgotten once its request was settled. */
  remembers: boolean
  /** Customers to whom only templates may be sent. */
  readonly closed: Set<string>
  templates: readonly object[]
  templateCalls: number
  /** Requests under a key that was settled with other bytes. */
  reused: number
}

export function createService(): Service {
  const settled = new Map<string, { body: string; id: string }>()
  let made = 0

  function take(key: string, body: string): Response {
    const known = service.remembers ? settled.get(key) : undefined
    if (known && known.body !== body) {
      service.reused++
      return refuse({ status: 422, code: 'idempotency_key_reused' })
    }
    if (known) return message(known.id, { 'Idempotency-Replayed': 'true' })
    const { to, text, type, template_name: name } = JSON.parse(body) as Record<string, string>
    if (type !== 'template' && service.closed.has(to ?? ''))
      return refuse({ status: 409, code: 'outside_messaging_window' })
    const id = `msg-${++made}`
    settled.set(key, { body, id })
    service.phone.push({ to: to ?? '', said: text ?? name ?? '', key })
    return message(id)
  }

  const service: Service = {
    phone: [],
    asked: [],
    bodies: [],
    script: [],
    always: undefined,
    remembers: true,
    closed: new Set(),
    templates: [],
    templateCalls: 0,
    reused: 0,
    async fetch(input, init) {
      if (asksForTemplates(input)) {
        service.templateCalls++
        return Response.json({ items: service.templates, next_cursor: null, has_more: false })
      }
      const key = new Headers(init?.headers).get('idempotency-key') ?? ''
      const body = init?.body as string
      service.asked.push(key)
      service.bodies.push(body)
      const turn = service.always ?? service.script.shift() ?? 'taken'
      if (typeof turn === 'object') return refuse(turn)
      if (turn === 'cut') throw broken()
      const answer = take(key, body)
      if (turn === 'lost') throw broken()
      if (turn === 'mute') return new Promise<never>(() => {})
      return answer
    },
  }
  return service
}

/** A template in the service's list that may be sent, with these changes. */
export const listed = (change: object = {}) => ({
  id: 't1',
  name: 'order_ready',
  language: 'en',
  category: 'UTILITY',
  status: 'APPROVED',
  sendable: true,
  unsendable_reason: null,
  components: [{ type: 'body', text: 'Order {{1}} is ready.' }],
  ...change,
})

/** True if a call asks for the list of templates; false if it is a send. */
export function asksForTemplates(input: Parameters<typeof fetch>[0]): boolean {
  return typeof input === 'string' && input.includes('/templates')
}

function message(id: string, headers: Record<string, string> = {}): Response {
  const body = { id, direction: 'OUTBOUND', message_type: 'text', created_at: '2026-03-04T09:00:00Z' }
  return Response.json({ ...body, wa_message_id: `wamid.${id}` }, { headers })
}

function refuse({ status, code, retryAfter }: Refusal): Response {
  const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
  return Response.json({ ...(code !== undefined && { code }), message: 'because' }, { status, headers })
}

function broken(): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }) })
}
