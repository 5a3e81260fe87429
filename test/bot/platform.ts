import { lifecycleOf } from '../../src/bot/lifecycle.ts'
import type { NumberOptions } from '../../src/bot/numbers.ts'
import type { BotOptions, StartOptions } from '../../src/bot/options.ts'
import type { Bot } from '../../src/bot/bot.ts'
import { botOn } from './in/bot.ts'
import { headersOf } from './in/signing.ts'
import { ASHA } from '../support/people.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

/** A platform's tenants, the service that knows their tokens, and a bot whose numbers are found among them. */
export async function openPlatform(
  o: {
    tenants?: Record<string, NumberOptions>
    options?: BotOptions
    routes?: (bot: Bot) => unknown
    start?: StartOptions
    /** Answers in the place of the tenants. */
    find?: (name: string) => Promise<NumberOptions | undefined>
  } = {},
) {
  const tenants: Record<string, NumberOptions> = o.tenants ?? {
    shop: { accessToken: 't-shop', signingSecret: 's-shop' },
  }
  const asked: string[] = []
  const source = { find: o.find ?? (async (name: string): Promise<NumberOptions | undefined> => tenants[name]) }
  const sent: { token: string; text: string }[] = []
  /** Tokens that the service refuses. */
  const refused = new Set<string>()
  const service = {
    /** Runs before a send is answered. */
    before: () => {},
    attempts: 0,
  }

  async function fetchFromService(_address: unknown, init: RequestInit = {}): Promise<Response> {
    if (init.method !== 'POST') return Response.json({ items: [], has_more: false, next_cursor: null })
    service.attempts++
    service.before()
    const token = new Headers(init.headers).get('authorization')?.replace('Bearer ', '') ?? ''
    if (refused.has(token))
      return Response.json({ error: { code: 'not_authenticated', message: 'no' } }, { status: 401 })
    sent.push({ token, text: (JSON.parse(init.body as string) as { text: string }).text })
    return Response.json({ id: `msg_${sent.length}`, status: 'ACCEPTED' })
  }

  const on = botOn({
    options: {
      baseUrl: 'http://127.0.0.1',
      fetch: fetchFromService,
      numbers: {
        find(name) {
          asked.push(name)
          return source.find(name)
        },
      },
      ...o.options,
    },
    routes: o.routes ?? ((bot) => bot.otherwise((ctx) => void ctx.reply(`${ctx.number}: ${ctx.message.text}`))),
  })
  await on.bot.start(o.start)
  let posted = 0

  return {
    ...on,
    tenants,
    asked,
    source,
    sent,
    refused,
    service,
    /** Posts a message of a customer to the endpoint of that name, and gives the status of the answer. */
    async post(name: string | undefined, secret: string | undefined, text = 'hi', more: object = {}): Promise<number> {
      const at = Math.floor(on.time.now / 1_000)
      const data = { id: `wamid.${++posted}`, from: ASHA, content: text, timestamp: at, ...more }
      const body = Buffer.from(JSON.stringify({ event: 'message.received', data }))
      const signed = headersOf(body, { secret: secret ?? '', timestamp: at, delivery: `d${posted}` })
      const headers = secret === undefined ? {} : signed
      const incoming = { method: 'POST', headers, readBody: async () => ({ bytes: body }), number: async () => name }
      return (await lifecycleOf(on.bot).receive(incoming)).status
    },
  }
}
