import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { API_ERRORS, type ApiErrorCode, type SendRequest, sendSchema } from '../../../src/contract/index.ts'
import type { Counterpart, Fault, WantedTemplate } from './counterpart.ts'

interface Refused {
  readonly status: number
  readonly body: unknown
}

const NUMBERS = ['109871234500011', '109871234500012']

function refused(code: ApiErrorCode, more: object = {}): Refused {
  return { status: API_ERRORS[code].status, body: { code, message: 'as the specification says', ...more } }
}

/** The specification's own sentences, answered inside fetch: as little as the suite needs. */
export async function overMsw(): Promise<Counterpart> {
  const open = new Set<string>()
  const templates: WantedTemplate[] = []
  const keys = new Map<string, { body: string; answer: object; held: number }>()
  const phones = new Map<string, number>()
  const account = { token: 'msw-token-1', plan: true, suspended: false, numbers: NUMBERS.slice(0, 1) }
  let faults: Fault[] = []
  let form: 'flat' | 'detail' = 'flat'

  const denied = (request: Request): Refused | undefined => {
    const number = request.headers.get('x-phone-number-id')
    if (request.headers.get('authorization') !== `Bearer ${account.token}`) return refused('not_authenticated')
    if (!account.plan) return refused('plan_feature_locked')
    if (account.suspended) return refused('account_suspended')
    if (number === null && account.numbers.length > 1)
      return refused('ambiguous_number', { phone_number_ids: account.numbers })
    return number === null || account.numbers.includes(number) ? undefined : refused('number_not_for_token')
  }

  const malformed = (json: unknown): Refused | undefined => {
    const { error } = sendSchema.safeParse(json)
    if (!error) return undefined
    if (form === 'flat') return refused('validation_error')
    const detail = error.issues.map(({ path, message, code }) => ({ loc: ['body', ...path], msg: message, type: code }))
    return { status: 422, body: { detail: detail.map((item) => ({ ...item, input: json })) } }
  }

  const impossible = (send: SendRequest): Refused | undefined => {
    if (send.type !== 'template') return open.has(send.to) ? undefined : refused('outside_messaging_window')
    const named = templates.filter(({ name }) => name === send.template_name)
    const template = named.find(({ language }) => language === send.template_language)
    if (named.length === 0) return refused('template_not_found')
    if (!template) return refused('invalid_template', { message: named.map(({ language }) => language).join() })
    const given = send.template_components?.find(({ type }) => type === 'body')?.parameters ?? []
    if (template.category === 'AUTHENTICATION')
      return given.length === 1 && String(Object.values(given[0] ?? {})[1]).length <= 15
        ? undefined
        : refused('invalid_one_time_code')
    const wanted = template.body?.match(/\{\{\d+\}\}/g)?.length ?? given.length
    return given.length === wanted ? undefined : { status: 400, body: { message: `the body takes ${wanted}` } }
  }

  const accepted = (send: SendRequest): object => {
    phones.set(send.to, (phones.get(send.to) ?? 0) + 1)
    return {
      id: `m_${phones.get(send.to)}`,
      direction: 'OUTBOUND',
      message_type: send.type,
      status: phones.size % 2 === 0 ? 'sent' : 'SENT',
      source: 'HUMAN',
      created_at: '2026-01-01T09:00:00Z',
    }
  }

  const answer = ({ status, body }: Refused) => HttpResponse.json(body as object, { status })

  const send = async (request: Request) => {
    const text = await request.text()
    const json = JSON.parse(text) as SendRequest
    const key = request.headers.get('idempotency-key') ?? ''
    const wrong = denied(request) ?? malformed(json)
    if (wrong) return answer(wrong)
    const known = keys.get(key)
    if (known && known.body !== text) return answer(refused('idempotency_key_reused'))
    if (known && known.held-- > 0) return answer(refused('idempotency_in_progress'))
    if (known) return HttpResponse.json(known.answer, { headers: { 'Idempotency-Replayed': 'true' } })
    const fault = faults.shift()
    if (fault?.do === 'status') return answer({ status: fault.status, body: { code: fault.code, message: 'fault' } })
    if (fault?.do === 'cut_before') return HttpResponse.error()
    const refusal = impossible(json)
    if (refusal) return answer(refusal)
    const message = accepted(json)
    if (key !== '') keys.set(key, { body: text, answer: message, held: fault?.do === 'hold_key' ? fault.answers : 0 })
    if (fault?.do === 'unreadable_answer') return HttpResponse.text('accepted')
    if (fault?.do === 'half_answer') return HttpResponse.text(JSON.stringify(message).slice(0, 12))
    return fault ? HttpResponse.error() : HttpResponse.json(message)
  }

  const list = (request: Request) => {
    const wrong = denied(request)
    if (wrong) return answer(wrong)
    const query = new URL(request.url).searchParams
    const [from, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit') ?? 25)]
    const rows = templates.toReversed().map((it, at) => rowOf(it, at))
    const all = rows.filter(({ sendable }) => [null, String(sendable)].includes(query.get('sendable')))
    const more = all.length > from + limit
    return HttpResponse.json({
      items: all.slice(from, from + limit),
      next_cursor: more ? String(from + limit) : null,
      has_more: more,
    })
  }

  const server = setupServer(
    http.post('https://service.example/api/v2/messages', ({ request }) => send(request)),
    http.get('https://service.example/api/v2/templates', ({ request }) => list(request)),
  )
  server.listen({ onUnhandledFrame: 'error' })
  return {
    baseUrl: 'https://service.example',
    token: () => account.token,
    customerWrites: async (to) => void open.add(to),
    aDayPasses: async () => open.clear(),
    addTemplate: async (template) => void templates.push(template),
    faults: async (...next) => void (faults = next),
    async account({ planWithoutApi, suspended, rotate }) {
      if (planWithoutApi) account.plan = false
      if (suspended) account.suspended = true
      if (rotate) account.token = 'msw-token-2'
    },
    async secondNumber() {
      account.numbers = NUMBERS
      return NUMBERS
    },
    validation: async (wanted) => void (form = wanted),
    arrived: async (to) => phones.get(to) ?? 0,
    [Symbol.asyncDispose]: async () => server.close(),
  }
}

function rowOf(
  { name, language, body, components, category = 'UTILITY', status = 'APPROVED', synchronised }: WantedTemplate,
  at: number,
) {
  const unheard = [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP' }] }]
  const sendable = status === 'APPROVED' || status === 'FLAGGED'
  return {
    id: `t_${at}`,
    name,
    language,
    category,
    status,
    sendable,
    unsendable_reason: sendable ? null : `it is ${status}`,
    components: synchronised === false ? unheard : (components ?? [{ type: 'BODY', text: body ?? '' }]),
  }
}
