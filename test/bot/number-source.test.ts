import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBot } from '../../src/bot/bot.ts'
import { lifecycleOf } from '../../src/bot/lifecycle.ts'
import type { NumberOptions } from '../../src/bot/number-options.ts'
import type { BotOptions, StartOptions } from '../../src/bot/options.ts'
import { oneTimeCode } from '../../src/bot/switchhook.ts'
import { temporaryFolder } from '../support/folder.ts'
import { ASHA } from '../support/people.ts'
import { botOn } from './inbox/bot.ts'
import { headersOf } from './inbox/signing.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const down = () => Promise.reject(new Error('the database is down: canary'))

describe('a number of a source', () => {
  it('receives and answers with its own secret and token, even if it was added while the bot runs [R SIG-06, R AUTH-02]', async () => {
    const { post, sent, tenants } = await openPlatform()
    expect(await post('shop', 's-shop', 'one')).toBe(200)
    expect(await post('clinic', 's-clinic')).toBe(401)
    tenants['school'] = { accessToken: 't-school', signingSecret: ['s-school', 's-before'] }
    expect(await post('school', 's-before', 'two')).toBe(200)
    expect(await post('school', 's-shop')).toBe(401)
    await expect
      .poll(() => sent)
      .toEqual([
        { token: 't-shop', text: 'shop: one' },
        { token: 't-school', text: 'school: two' },
      ])
  })

  it('accepts its new secret at once, and its old one no longer after that [R SIG-06]', async () => {
    const { post, tenants, asked, time } = await openPlatform()
    expect(await post('shop', 's-shop')).toBe(200)
    time.now += 1_001
    tenants['shop'] = { signingSecret: 's-new' }
    expect(await post('shop', 's-new')).toBe(200)
    expect(await post('shop', 's-shop')).toBe(401)
    expect(asked).toHaveLength(2)
  })

  it('is not looked up for a request without a signature', async () => {
    const { post, asked } = await openPlatform()
    for (const name of ['shop', 'random', undefined]) expect(await post(name, undefined)).toBe(401)
    expect(asked).toEqual([])
  })

  it.each(['../shop', '__proto__', 'shop+other'])(
    'is not looked up for a name that no number can have: %j',
    async (name) => {
      const { post, asked } = await openPlatform()
      expect(await post(name, 's-shop')).toBe(401)
      expect(asked).toEqual([])
    },
  )
})

describe('while the source is down', () => {
  it('known numbers receive and send as before, and the log reports it once a minute without the error’s message [R AUTH-07]', async () => {
    const { post, sent, source, time, warnings, text } = await openPlatform()
    await post('shop', 's-shop', 'before')
    source.find = down
    for (let minute = 1; minute <= 10; minute++) {
      time.now += MINUTE + 1
      expect(await post('shop', 's-shop', `minute ${minute}`)).toBe(200)
    }
    await expect.poll(() => sent).toHaveLength(11)
    const told = warnings().filter(({ message }) => message.includes('numbers.find() failed'))
    expect(told.length).toBeGreaterThan(5)
    expect(told.length).toBeLessThanOrEqual(10)
    expect(text()).not.toContain('canary')
  })

  it('deliveries get 503 after a day without an answer, so that the service repeats them, and 200 when it is back [R DEL-02]', async () => {
    const { post, source, time } = await openPlatform()
    const { find } = source
    await post('shop', 's-shop')
    source.find = down
    time.now += 24 * HOUR - 1
    expect(await post('shop', 's-shop')).toBe(200)
    time.now += 1
    expect(await post('shop', 's-shop')).toBe(503)
    expect(await post('shop', 'forged'), 'nobody can tell').toBe(503)
    source.find = find
    time.now += 1_001
    expect(await post('shop', 's-shop')).toBe(200)
  })

  it('sends of an unknown number are recorded and wait, and a one-time code is refused because it cannot wait', async () => {
    const { bot, source } = await openPlatform()
    source.find = down
    const to = bot.number('shop').to(ASHA)
    expect(await to.send('ready', { key: 'k' })).toMatchObject({ via: 'stored', send: { state: 'held' } })
    const code = oneTimeCode('login_code', 'en', '123456')
    await expect(to.send(code, { key: 'c' })).rejects.toMatchObject({ code: 'number_unavailable' })
  })
})

it('a token that was changed refuses no send: the same bytes are sent again with the new one [R AUTH-02, R AUTH-07]', async () => {
  const { post, sent, refused, service, tenants } = await openPlatform()
  await post('shop', 's-shop', 'one')
  await expect.poll(() => sent).toHaveLength(1)
  refused.add('t-shop')
  tenants['shop'] = { accessToken: 't-new', signingSecret: 's-shop' }
  await post('shop', 's-shop', 'two')
  await expect.poll(() => sent.at(-1)).toEqual({ token: 't-new', text: 'shop: two' })
  expect(service.attempts).toBe(3)
})

it('a number that was removed counts as unknown, and a new send fails with advice', async () => {
  const { bot, post, tenants, time, warnings } = await openPlatform()
  await post('shop', 's-shop')
  delete tenants['shop']
  time.now += MINUTE + 1
  await post('shop', 's-shop')
  expect(await post('shop', 's-shop')).toBe(401)
  expect(warnings().map(({ about }) => about['reason'])).toContain('unknown_number')
  await expect(bot.number('shop').to(ASHA).send('ready', { key: 'k' })).rejects.toMatchObject({
    code: 'no_access_token',
    message: expect.stringContaining('numbers.find() returns no number "shop"'),
  })
})

describe('several processes of one database', () => {
  const shared = () => {
    return {
      tenants: { shop: { accessToken: 't', signingSecret: 's', phoneNumberId: '111' } },
      // A mapping with a function in it is read by a process that works.
      options: {
        database: join(temporaryFolder(), 'bot.db'),
        facts: {
          'message.received': { text: (payload: unknown) => (payload as { data: { content: string } }).data.content },
        },
      },
    }
  }

  it('each query the source: a process that works finds out whose delivery it reads before it reads it', async () => {
    const o = shared()
    const receiver = await openPlatform({ ...o, start: { role: 'receive' } })
    expect(await receiver.post('shop', 's', 'hi', { phone_number_id: '999' })).toBe(200)
    const worker = await openPlatform({ ...o, start: { role: 'work' } })
    const ended = async () => {
      const { parked = 0, done = 0 } = (await worker.counts()).items
      return parked + done
    }
    await expect.poll(ended).toBe(1)
    expect((await worker.counts()).items).toEqual({ parked: 1 })
    expect([receiver.asked, worker.asked]).toEqual([['shop'], ['shop']])
  })
})

it('made-up names keep no number out that has deliveries in the database, even right after a start: its endpoint answers at once', async () => {
  const real = Array.from({ length: 60 }, (_, at) => `shop-${at}`)
  const o = {
    tenants: Object.fromEntries(real.map((name) => [name, { signingSecret: `s-${name}` }])),
    options: { database: join(temporaryFolder(), 'bot.db') },
  }
  const before = await openPlatform(o)
  for (const name of real) expect(await before.post(name, `s-${name}`)).toBe(200)
  await before.bot.stop()

  const { post, source, time } = await openPlatform(o)
  const { find } = source
  time.now += 60_000
  let strangers = 0
  source.find = (name) => (name.startsWith('x') ? new Promise(() => strangers++) : find(name))
  for (let at = 0; at < 3_000; at++) void post(`x${at}`, 'forged')
  await expect.poll(() => strangers).toBe(32)
  expect(await Promise.all(real.map((name) => post(name, `s-${name}`)))).toEqual(real.map(() => 200))
})

it.each([
  ['no secret', { accessToken: 'canary' }, 'signingSecret: missing'],
  ['a blank secret', { signingSecret: 'canary\n' }, 'white space'],
  ['an empty list of secrets', { signingSecret: [] }, 'signingSecret: expected some text or a function'],
  ['a column of a table', { signingSecret: 's', created_at: 'canary' }, 'created_at: this option does not exist'],
  ['something else', 'canary', 'expected an object'],
])('an answer of the source is refused by name, without its value: %s [R SIG-08, R AUTH-07]', async (_, given, why) => {
  const { post, text, source } = await openPlatform()
  source.find = async () => given as never
  expect(await post('shop', 'canary')).toBe(503)
  expect(text()).toContain(why)
  expect(text()).not.toContain('canary')
})

it('the option numbers requires a number for each send if it is a source, and refuses a name that no number can have', async () => {
  const single = { numbers: { find: async () => undefined }, signingSecret: 's' }
  expect(() => createBot(single)).toThrow('signingSecret: with a source of numbers')
  const { bot } = await openPlatform()
  await expect(async () => bot.to(ASHA).send('x', { key: 'k' })).rejects.toThrow("use bot.number('NAME').to(…)")
  expect(() => bot.number('a/b')).toThrow('letters, digits, - and _')
})

/** A platform's tenants, the service that knows their tokens, and a bot whose numbers are found among them. */
async function openPlatform(
  o: { tenants?: Record<string, NumberOptions>; options?: BotOptions; start?: StartOptions } = {},
) {
  const tenants: Record<string, NumberOptions> = o.tenants ?? {
    shop: { accessToken: 't-shop', signingSecret: 's-shop' },
  }
  const asked: string[] = []
  const source = { find: async (name: string): Promise<NumberOptions | undefined> => tenants[name] }
  const sent: { token: string; text: string }[] = []
  /** Tokens that the service refuses. */
  const refused = new Set<string>()
  const service = { attempts: 0 }

  async function fetchFromService(_address: unknown, init: RequestInit = {}): Promise<Response> {
    if (init.method !== 'POST') return Response.json({ items: [], has_more: false, next_cursor: null })
    service.attempts++
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
    routes: (bot) => bot.otherwise((ctx) => void ctx.reply(`${ctx.number}: ${ctx.message.text}`)),
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
