import { wordsIn } from '../../bot/payload-options.ts'
import { factSources } from '../../bot/tell-emulator.ts'
import { isNumberName, isSource, type NumberOptions } from '../../bot/number-options.ts'
import type { BotOptions } from '../../bot/options.ts'
import { type Duration, toMs } from '../../base/duration.ts'
import { optionsInvalid } from '../../base/errors.ts'
import { API_PREFIX, ENDPOINTS } from '../../service/endpoints.ts'
import { DEFAULT_HEADER_PREFIX } from '../../service/delivery.ts'
import type { Assumptions } from '../../emulator/model/assumptions.ts'
import type { Post } from '../../emulator/deliver/request.ts'
import { faultRuleSchema } from '../../emulator/model/faults.ts'
import type { HttpAnswer, HttpRequest } from '../../emulator/http/messages.ts'
import { createInProcess, type InProcessEmulator } from '../../emulator/in-process.ts'
import type { Answer, Incoming } from '../../bot/inbox/http.ts'
import type { Activity } from './activity.ts'
import type { ScenarioTemplate } from '../../emulator/recording/recording.ts'
import type { OwnTimers, VirtualTime } from './virtual-time.ts'

/** The service of one number: its own emulator, so that tokens, subscriptions and phones are separate. */
export interface NumberService {
  readonly name: string
  readonly options: NumberOptions
  readonly emulator: InProcessEmulator
}

export type Service = Awaited<ReturnType<typeof createService>>

/** Makes the service fail. `s.faults` in a scenario. */
export interface Faults {
  /**
   * The service answers the next send with this error and does not send it. @throws SwitchhookError `options_invalid`
   */
  next(status: number): void
  /** The service accepts the next send and cuts the connection before the answer. */
  loseNextAnswer(): void
  /** Simulates an unreachable service for this span, such as `'2h'`. Deliveries still arrive. */
  down(span: Duration): void
}

export interface ServiceDeps {
  readonly given: BotOptions
  /** The names of the existing numbers, if the bot's option `numbers` has a function `find`. */
  readonly names: readonly string[] | undefined
  readonly templates: readonly ScenarioTemplate[]
  readonly assumptions: Partial<Assumptions>
  readonly payloads: string | undefined
  readonly madeUp: boolean
  readonly time: VirtualTime
  readonly timers: OwnTimers
  readonly activity: Activity
  deliver(incoming: Incoming): Promise<Answer | undefined>
}

const LIST_WAIT_MS = 3_000
/** A request for the list of templates within this time after a failed one is a retry of it. */
const LIST_REPEATS_MS = 60_000

/** Statuses arrive at once, because in a scenario time passes only if something waits for it. */
const ASSUMED = { statusAfterMs: { sent: 0, delivered: 0 } }

export async function createService(deps: ServiceDeps) {
  const given = numbersOf(deps)
  const numbers = await Promise.all(given.map(([name, options], index) => createNumber(name, options, index, deps)))
  const armed: object[] = []
  let downUntil = 0
  let listFailedAt = -Infinity
  const arm = (rule: object) => {
    const { success, error } = faultRuleSchema.safeParse(rule)
    if (!success) throw optionsInvalid(`faults: ${error.issues[0]?.message}`)
    armed.push(rule)
  }

  const approved = new Set<string>()
  async function approve(templates: readonly ScenarioTemplate[]): Promise<void> {
    for (const template of templates) {
      const id = `${template.name} ${template.language}`
      if (approved.has(id)) continue
      approved.add(id)
      if (template.category === 'AUTHENTICATION' && 'body' in template)
        throw optionsInvalid(
          `templates: "${template.name}" is for one-time codes, so the service writes its text: leave out its body`,
        )
      for (const { emulator } of numbers) await emulator.templates.add({ ...template })
    }
  }
  await approve(deps.templates)

  const fetchOfService = fetchInProcess((request) => {
    const isSend = request.method === ENDPOINTS.send.method && request.path === API_PREFIX + ENDPOINTS.send.path
    if (deps.time.now() < downUntil) {
      if (!isSend && deps.time.now() - listFailedAt >= LIST_REPEATS_MS) listFailedAt = deps.time.now()
      return deps.activity.during(unreachable())
    }
    const { emulator } = numberOf(request.headers.authorization, numbers)
    const rule = isSend ? armed.shift() : undefined
    if (rule) void emulator.faults.set([{ ...rule }])
    return deps.activity.untilItWaits(emulator.answer(request))
  })

  return {
    numbers,
    approve,
    /** Finds a number by name or `phoneNumberId`. Default: the first. @throws SwitchhookError `options_invalid` */
    number(name: string | undefined): NumberService {
      const isIt = (number: NumberService) => number.name === name || number.options.phoneNumberId === name
      const found = name === undefined ? numbers[0] : numbers.find(isIt)
      if (found) return found
      const known = numbers.map((number) => number.name).join(', ')
      throw optionsInvalid(`the number "${name}" does not exist; the bot has ${known}`)
    },
    botOptions: (given: BotOptions): BotOptions => ({ ...optionsOver(given, numbers, deps), fetch: fetchOfService }),
    mayAwaitTemplates: () => deps.time.now() - listFailedAt < LIST_WAIT_MS,
    faults: {
      next: (status: number) => arm({ on: 'send', do: 'status', status, next: 1 }),
      down: (span: Duration) => void (downUntil = deps.time.now() + toMs(span, 'down')),
      loseNextAnswer: () => arm({ on: 'send', do: 'lose_answer', next: 1 }),
    },
  }
}

function optionsOver(given: BotOptions, numbers: readonly NumberService[], deps: ServiceDeps): BotOptions {
  const { allowedRecipients: _, accessToken: _token, signingSecret: _secret, phoneNumberId: _id, ...rest } = given
  const credentials = Object.fromEntries(numbers.map(({ name, options }) => [name, options]))
  const { keysRememberedFor } = deps.assumptions
  return {
    // The bot's option must fit this scenario's service. The option has two values, the emulator's switch has more.
    ...(keysRememberedFor && { keysRememberedFor: keysRememberedFor === '24h' ? '24h' : 'until_settled' }),
    ...rest,
    ...(given.numbers ? { numbers: credentials } : credentials['default']),
    baseUrl: 'http://127.0.0.1',
    database: ':memory:',
    clock: () => new Date(deps.time.now()),
  }
}

function numbersOf({ given, names }: ServiceDeps): [string, NumberOptions][] {
  const { numbers } = given
  if (isSource(numbers)) {
    if (names && names.length > 0 && names.every(isNumberName)) return names.map((name) => [name, {}])
    throw optionsInvalid(
      "numbers: this bot gets its numbers from a source, which a scenario does not query: pass their names, as in scenario(bot, { numbers: ['shop-1'] })",
    )
  }
  if (names) throw optionsInvalid('numbers: the bot already sets the option numbers')
  return Object.entries(numbers ?? { default: given })
}

async function createNumber(
  name: string,
  given: NumberOptions,
  index: number,
  deps: ServiceDeps,
): Promise<NumberService> {
  const token = `scenario-token-${name}`
  const secret = `scenario-secret-${name}`
  const phoneNumberId = /^\d{1,30}$/.test(given.phoneNumberId ?? '')
    ? (given.phoneNumberId as string)
    : `1098712345000${String(index + 1).padStart(2, '0')}`
  const emulator = createInProcess({
    token,
    secret,
    // A different seed for each number, so that their messages have different ids.
    seed: index + 1,
    timers: deps.timers,
    wall: () => new Date(deps.time.now()),
    headerPrefix: deps.given.headerPrefix ?? DEFAULT_HEADER_PREFIX,
    post: postTo(deps),
    assumptions: ASSUMED,
    facts: factSources(deps.given.facts, wordsIn(deps.given)),
    madeUp: deps.madeUp,
    ...(deps.payloads !== undefined && { payloads: deps.payloads }),
  })
  await emulator.assumptions.set(deps.assumptions)
  await emulator.account.set({ numbers: [{ id: phoneNumberId }] })
  // Only a bot that sets `phoneNumberId` gets one. Without it a bot accepts payloads of any number, as in production.
  const named = given.phoneNumberId !== undefined && { phoneNumberId }
  return { name, options: { accessToken: token, signingSecret: secret, ...named }, emulator }
}

/** Hands over headers and bytes, so that the bot processes deliveries as over HTTP. */
function postTo({ activity, deliver }: ServiceDeps): Post {
  return async ({ headers, body }) => {
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const incoming: Incoming = {
      method: 'POST',
      headers: lower,
      readBody: async ({ maxBytes }) => (body.length > maxBytes ? { problem: 'too_large' } : { bytes: body }),
    }
    return (await activity.during(deliver(incoming))) ?? { error: 'connection_refused' }
  }
}

/** Finds the number with the request's token. Any other token goes to the first number, which answers 401. */
function numberOf(authorization: string | undefined, numbers: readonly NumberService[]): NumberService {
  const found = numbers.find(({ options }) => authorization === `Bearer ${String(options.accessToken)}`)
  return found ?? (numbers[0] as NumberService)
}

// ── fetch in process ────────────────────────────────────────────────────────────────────────────────

export function fetchInProcess(answer: (request: HttpRequest) => Promise<HttpAnswer>): typeof fetch {
  return async (address, init) => responseOf(await answer(requestOf(addressOf(address), init)), init?.signal)
}

function addressOf(address: Parameters<typeof fetch>[0]): string {
  if (typeof address === 'string') return address
  return 'url' in address ? address.url : address.href
}

function requestOf(address: string, init: RequestInit = {}): HttpRequest {
  const { pathname, searchParams } = new URL(address)
  return {
    method: init.method ?? 'GET',
    path: pathname,
    query: searchParams,
    headers: Object.fromEntries(new Headers(init.headers)),
    body: Buffer.from(typeof init.body === 'string' ? init.body : ''),
  }
}

async function responseOf(answer: HttpAnswer, signal: AbortSignal | null | undefined): Promise<Response> {
  const { status, headers = {}, spoilt } = answer
  if (spoilt === 'never') return noAnswer(signal)
  if (spoilt === 'cut') throw broken('UND_ERR_SOCKET', 'other side closed')
  return new Response(answer.body, { status, headers: { 'content-type': 'application/json', ...headers } })
}

async function unreachable(): Promise<never> {
  throw broken('ECONNREFUSED', 'nothing listens at 127.0.0.1')
}

function noAnswer(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function broken(code: string, message: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })
}
