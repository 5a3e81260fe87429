import { type Duration, toMs } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import { API_PREFIX, DEFAULT_HEADER_PREFIX, ENDPOINTS } from '../contract/index.ts'
import type { Assumptions } from '../emulator/model/assumptions.ts'
import type { Post } from '../emulator/deliver/post.ts'
import { faultRuleSchema } from '../emulator/model/fault-rules.ts'
import { createInProcess, type InProcessEmulator } from '../emulator/in-process.ts'
import type { BotOptions, NumberOptions } from '../app/options.ts'
import type { Incoming } from '../receive/receive.ts'
import type { Answer } from '../receive/answers.ts'
import type { Activity } from './activity.ts'
import type { ScenarioTemplate } from './play/file.ts'
import { requestOf, responseOf, unreachable } from './respond.ts'
import type { OwnTimers, VirtualTime } from './time.ts'

/** The service of one number: an emulator of its own, so that tokens, subscriptions and phones are apart. */
export interface Line {
  readonly number: string
  readonly options: NumberOptions
  readonly emulator: InProcessEmulator
}

export interface Service {
  readonly lines: readonly Line[]
  /** By its name or by its `phoneNumberId`; the first line where none is named. @throws SwitchhookError `options_invalid` */
  line(number: string | undefined): Line
  /** Has these templates on every number, besides those that are there. */
  approve(templates: readonly ScenarioTemplate[]): Promise<void>
  readonly fetch: typeof fetch
  /** Whether a reply may now wait for an answer that it asked for in vain: not for that to its send, but for a list. */
  isAskedInVain(): boolean
  readonly faults: Faults
}

/** What goes wrong at the service. */
export interface Faults {
  /** The next send is answered with this error, and is not sent. @throws SwitchhookError `options_invalid` */
  next(status: number): void
  /** The next send is accepted, and the connection is cut before the answer. */
  loseNextAnswer(): void
  /** For so long, such as `'2h'`, nothing answers at the service's address; its deliveries come all the same. */
  down(span: Duration): void
}

export interface ServiceParts {
  readonly given: BotOptions
  readonly templates: readonly ScenarioTemplate[]
  readonly assumptions: Partial<Assumptions>
  readonly time: VirtualTime
  readonly timers: OwnTimers
  readonly activity: Activity
  /** Hands a delivery to the bot; undefined where none is there. */
  deliver(incoming: Incoming): Promise<Answer | undefined>
}

/** So long a reply waits for the list of templates, and so long the list is not asked for again but by repeats. */
const LIST_WAIT_MS = 3_000
const LIST_AGAIN_MS = 60_000

/** Statuses follow in the same moment: time passes only where something waits for it. */
const ASSUMED = { statusAfterMs: { sent: 0, delivered: 0 } }

export async function createService(parts: ServiceParts): Promise<Service> {
  const numbers = Object.entries(parts.given.numbers ?? { default: parts.given })
  const lines = await Promise.all(numbers.map(([number, given], index) => createLine(number, given, index, parts)))
  const armed: object[] = []
  let downUntil = 0
  let inVainAt = -Infinity
  const arm = (rule: object) => {
    const { success, error } = faultRuleSchema.safeParse(rule)
    if (!success) throw new SwitchhookError('options_invalid', `faults: ${error.issues[0]?.message}`)
    armed.push(rule)
  }

  const approved = new Set<string>()
  async function approve(templates: readonly ScenarioTemplate[]): Promise<void> {
    for (const template of templates) {
      const id = `${template.name} ${template.language}`
      if (approved.has(id)) continue
      approved.add(id)
      for (const { emulator } of lines) await emulator.templates.add({ ...template })
    }
  }
  await approve(parts.templates)

  return {
    lines,
    approve,
    line(number) {
      const isIt = (line: Line) => line.number === number || line.options.phoneNumberId === number
      const found = number === undefined ? lines[0] : lines.find(isIt)
      if (found) return found
      const known = lines.map((line) => line.number).join(', ')
      throw new SwitchhookError('options_invalid', `there is no number "${number}"; the bot has ${known}`)
    },
    fetch: (address, init) => {
      const request = requestOf(addressOf(address), init)
      const isSend = request.method === ENDPOINTS.send.method && request.path === API_PREFIX + ENDPOINTS.send.path
      if (parts.time.now() < downUntil) {
        if (!isSend && parts.time.now() - inVainAt >= LIST_AGAIN_MS) inVainAt = parts.time.now()
        return parts.activity.during(unreachable())
      }
      const { emulator } = lineOf(request.headers.authorization, lines)
      const rule = isSend ? armed.shift() : undefined
      if (rule) void emulator.faults.set([{ ...rule }])
      return parts.activity.untilItWaits(emulator.answer(request)).then((answer) => responseOf(answer, init?.signal))
    },
    isAskedInVain: () => parts.time.now() - inVainAt < LIST_WAIT_MS,
    faults: {
      next: (status) => arm({ on: 'send', do: 'status', status, next: 1 }),
      down: (span) => void (downUntil = parts.time.now() + toMs(span, 'down')),
      loseNextAnswer: () => arm({ on: 'send', do: 'lose_answer', next: 1 }),
    },
  }
}

async function createLine(number: string, given: NumberOptions, index: number, parts: ServiceParts): Promise<Line> {
  const token = `scenario-token-${number}`
  const secret = `scenario-secret-${number}`
  const phoneNumberId = /^\d{1,30}$/.test(given.phoneNumberId ?? '')
    ? (given.phoneNumberId as string)
    : `1098712345000${String(index + 1).padStart(2, '0')}`
  const emulator = createInProcess({
    token,
    secret,
    // Ids of one number's messages are never those of another's.
    seed: index + 1,
    timers: parts.timers,
    wall: () => new Date(parts.time.now()),
    headerPrefix: parts.given.headerPrefix ?? DEFAULT_HEADER_PREFIX,
    post: postTo(parts),
    assumptions: ASSUMED,
  })
  await emulator.assumptions.set(parts.assumptions)
  await emulator.account.set({ numbers: [{ id: phoneNumberId }] })
  // A bot that names no number id is given none: as in production it takes payloads of any, such as recorded ones.
  const named = given.phoneNumberId !== undefined && { phoneNumberId }
  return { number, options: { accessToken: token, signingSecret: secret, ...named }, emulator }
}

/** Deliveries take the way that they take over HTTP, from the headers and the bytes on. */
function postTo({ activity, deliver }: ServiceParts): Post {
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

function addressOf(address: Parameters<typeof fetch>[0]): string {
  if (typeof address === 'string') return address
  return 'url' in address ? address.url : address.href
}

/** The line whose token a request carries; an app that sends with another one meets the first line's 401. */
function lineOf(authorization: string | undefined, lines: readonly Line[]): Line {
  const found = lines.find(({ options }) => authorization === `Bearer ${String(options.accessToken)}`)
  return found ?? (lines[0] as Line)
}
