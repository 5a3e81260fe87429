import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { webhook } from '../../src/bot/inbox/adapters/fetch.ts'
import { assemble } from '../../src/bot/bot.ts'
import { createBot, signDelivery } from '../../src/bot/switchhook.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { createService } from './outbox/service.ts'

const CANARY = 'whsec_canary_0123456789abcdef0123456789abcdef'
const quiet = { logger: false, database: ':memory:' } as const

async function refusal(run: () => unknown): Promise<{ code?: string; message: string }> {
  try {
    await run()
  } catch (error) {
    return error as { code?: string; message: string }
  }
  throw new Error('nothing was refused')
}

describe('wrong options', () => {
  it.each<[string, unknown, string]>([
    ['lanes', 0, 'lanes: expected a whole number from 1 on'],
    ['onUnknown', 'maybe', "onUnknown: expected 'repeat' or 'hold'"],
    ['long', 'cut', "long: expected 'split' or 'refuse'"],
    ['attempts', { deadline: 'soon' }, 'attempts.deadline: expected a span'],
    ['attempts', { tries: 3 }, 'attempts.tries: this option does not exist; the options are max, within, deadline'],
    ['attempts', { deadline: 0 }, "attempts.deadline: expected a span above zero such as '30s'"],
    [
      'perCustomer',
      { messages: 30 },
      "perCustomer: expected messages and every, such as { messages: 30, every: '1m' }",
    ],
    ['perCustomer', { messages: 0, every: '1m' }, 'perCustomer.messages: expected a whole number from 1 on'],
    ['perCustomer', { messages: 3, every: '0s' }, "perCustomer.every: expected a span above zero such as '30s'"],
    ['perCustomer', 30, 'perCustomer: expected'],
    ['retention', { bytes: 'a week' }, 'retention.bytes: expected a span'],
    ['retention', { rows: '1d' }, 'retention.rows: this option does not exist; the options are bytes, ids'],
    ['retention', { ids: '6d' }, 'retention.ids: expected at least retention.bytes'],
    ['retention', { bytes: '1m', ids: '9m' }, 'retention.ids: expected at least 10m'],
    ['headerPrefix', 'X Service', 'headerPrefix: expected a prefix'],
    ['allowedRecipients', ['+255'], 'allowedRecipients: expected a list of phone numbers'],
    ['logger', {}, 'logger: expected false, or a logger'],
    ['signingSecret', 5, 'signingSecret: expected some text or a function, got a value of type number'],
    ['numbers', { 'a/b': {} }, 'numbers: the name "a/b"'],
    ['numbers', { a: { secret: 'x' } }, 'numbers.a.secret: this option does not exist'],
    ['facts', { 'message.recieved': {} }, 'there is no event "message.recieved": did you mean \'message.received\'?'],
    ['facts', { 'message.received': { custmer: 'a' } }, 'there is no fact "custmer": did you mean \'customer\'?'],
    [
      'facts',
      { 'message.received': { message_id: 'a' } },
      'there is no fact "message_id": did you mean \'messageId\'?',
    ],
    ['facts', { 'message.received': { 'media.link': 'a' } }, 'media has no "link"; it has url, kind, mime, filename'],
    [
      'facts',
      { 'message.received': { text: 'a..b' } },
      "message.received.text: expected a path such as 'data.order.id'",
    ],
    ['facts', { 'message.received': { text: ['a', 'b[*].c'] } }, 'got a list with another value'],
    ['numbers', { find: () => {}, fresh: '10s' }, 'numbers.fresh: this option does not exist'],
    ['sesion', {}, 'sesion: this option does not exist'],
  ])('are refused by name: %s', async (name, value, message) => {
    const error = await refusal(() => createBot({ [name]: value }))
    expect(error.code).toBe('options_invalid')
    expect(error.message).toContain(message)
  })

  it('are refused without showing a secret [R AUTH-07]', async () => {
    const wrong = { signingSecret: [CANARY, ''], accessToken: CANARY, lanes: -1 }
    const error = await refusal(() => createBot(wrong))
    expect(inspect(error, { depth: 9 })).not.toContain(CANARY)
    const spaced = await refusal(() => createBot({ ...quiet, signingSecret: ` ${CANARY}` }).start())
    expect(spaced.code).toBe('options_invalid')
    expect(inspect(spaced, { depth: 9 })).not.toContain('canary')
  })
})

describe('start', () => {
  it('lists everything that is missing', async () => {
    const bot = assemble({ ...quiet, accessToken: 'tok' }, { environment: {} })
    const error = await refusal(() => bot.start())
    expect(error.code).toBe('environment_missing')
    expect(error.message).toContain('SWITCHHOOK_SIGNING_SECRET')
    expect(error.message).toContain('SWITCHHOOK_BASE_URL')
  })

  it.each([
    ['SWITCHHOOK_HEADER_PREFIX', 'X Service', /^headerPrefix: expected .* \(from SWITCHHOOK_HEADER_PREFIX\)$/],
    ['SWITCHHOOK_ALLOWED_RECIPIENTS', '+255', /^allowedRecipients: .* \(from SWITCHHOOK_ALLOWED_RECIPIENTS\)$/],
    ['SWITCHHOOK_BASE_URL', 'service.example', /^baseUrl: expected .* \(from SWITCHHOOK_BASE_URL\)$/],
  ])('names the variable beside the option if its value is wrong: %s', async (variable, value, message) => {
    const environment = { SWITCHHOOK_SIGNING_SECRET: 's', [variable]: value }
    const error = await refusal(() => assemble(quiet, { environment }).start())
    expect(error.code).toBe('options_invalid')
    expect(error.message).toMatch(message)
  })

  it('hands the role that may own the schema of PostgreSQL on to the store, from the option or the environment', async () => {
    const seen: unknown[] = []
    const open = (_: string, o: { readonly schemaOwner: string | undefined }) => {
      seen.push(o.schemaOwner)
      return openSqlite(':memory:')
    }
    const environment = { SWITCHHOOK_SCHEMA_OWNER: 'migrations' }
    for (const schemaOwner of [undefined, 'dba']) {
      const bot = assemble({ ...quiet, signingSecret: 's', ...(schemaOwner && { schemaOwner }) }, { environment, open })
      await bot.start()
      await bot.stop()
    }
    expect(seen).toEqual(['migrations', 'dba'])
  })

  it('reads everything from the environment, and each variable has its effect', async () => {
    const folder = temporaryFolder()
    const environment = {
      SWITCHHOOK_SIGNING_SECRET: 'one, two',
      SWITCHHOOK_BASE_URL: 'https://api.example.test',
      SWITCHHOOK_ACCESS_TOKEN: 'a-token',
      SWITCHHOOK_PHONE_NUMBER_ID: '109871234500011',
      SWITCHHOOK_ALLOWED_RECIPIENTS: '255712000101, 255712000102',
      SWITCHHOOK_DATABASE: join(folder, 'own.db'),
      SWITCHHOOK_HEADER_PREFIX: 'X-Shop-',
    }
    const asked: Request[] = []
    const service = createService()
    const listening: typeof fetch = async (input, init) => {
      asked.push(new Request(input, init))
      return service.fetch(input, init)
    }
    const bot = assemble({ logger: false, fetch: listening }, { environment })
    bot.received('text', () => {})
    await bot.start()
    try {
      expect(existsSync(environment.SWITCHHOOK_DATABASE)).toBe(true)
      const statuses = ['one', 'two', 'three'].map(async (secret) => {
        const about = { body: '{}', secret, at: new Date(), event: 'order.paid', deliveryId: secret }
        const headers = signDelivery({ ...about, headerPrefix: environment.SWITCHHOOK_HEADER_PREFIX })
        return (await webhook(bot)(new Request('http://bot.test/', { method: 'POST', headers, body: '{}' }))).status
      })
      expect(await Promise.all(statuses)).toEqual([200, 200, 401])
      await bot.to('255712000102').send('hi', { key: 'hi' })
      expect(asked.map(({ url }) => url)).toEqual(['https://api.example.test/api/v2/messages'])
      expect(asked[0]?.headers.get('authorization')).toBe('Bearer a-token')
      expect(asked[0]?.headers.get('x-phone-number-id')).toBe('109871234500011')
      const stranger = await refusal(() => bot.to('255712000103').send('hi', { key: 'hi' }))
      expect(stranger.code).toBe('recipient_not_allowed')
    } finally {
      await bot.stop()
    }
  })

  it('refuses a real address outside production without a list of recipients, and names both solutions', async () => {
    const options = { ...quiet, signingSecret: 's', accessToken: 't', baseUrl: 'https://api.example.test' }
    const error = await refusal(() => assemble(options, { environment: {} }).start())
    expect(error.message).toContain('NODE_ENV=production')
    expect(error.message).toContain('SWITCHHOOK_ALLOWED_RECIPIENTS')
    for (const environment of [{ NODE_ENV: 'production' }, { SWITCHHOOK_ALLOWED_RECIPIENTS: '255712000101' }]) {
      const bot = assemble(options, { environment })
      await bot.start()
      await bot.stop()
    }
  })

  it('sends from none of several numbers without a name, even in plain JavaScript', async () => {
    const number = { signingSecret: 's', accessToken: 't' }
    const numbers = { retail: number, wholesale: { ...number, signingSecret: 'other' } }
    const baseUrl = 'http://127.0.0.1:4747'
    const bot = assemble({ ...quiet, baseUrl, numbers, fetch: createService().fetch }, { environment: {} })
    await bot.start()
    const asha = bot.to('255712000101')
    const send = async () => asha.send('hi', { key: 'k' })
    for (const ask of [send, async () => asha.handOver({ for: '1h' }), asha.session, async () => bot.cancel('k')])
      await expect(ask()).rejects.toMatchObject({
        code: 'options_invalid',
        message: expect.stringContaining("bot.number('retail').to("),
      })
    const sent = await bot.number('retail').to('255712000101').send('hi', { key: 'k' })
    expect(sent).toMatchObject({ via: 'freeform', send: { number: 'retail' } })
    await bot.stop()
  })

  it('receives without an access token, and a send names the missing token', async () => {
    const bot = assemble({ ...quiet, signingSecret: 's' }, { environment: {} })
    await expect(bot.to('255712000101').send('hi', { key: 'k' })).rejects.toMatchObject({ code: 'not_started' })
    await bot.start()
    await expect(bot.to('255712000101').send('hi', { key: 'k' })).rejects.toMatchObject({ code: 'no_access_token' })
    await bot.stop()
  })

  it('refuses two routes with one name, an event that has its own routes, and an unknown number', async () => {
    const bot = createBot({ ...quiet, signingSecret: 's' })
    bot.hears('hi', () => {})
    expect((await refusal(() => bot.hears('hi', () => {}))).message).toContain('"hears:hi"')
    bot.otherwise(() => {})
    expect((await refusal(() => bot.otherwise(() => {}))).message).toContain('"otherwise"')
    expect((await refusal(() => bot.on('message.received' as 'x', () => {}))).message).toContain('hears()')
    expect((await refusal(() => bot.number('retail' as 'default'))).message).toContain('"retail"')
  })

  it('works again after a stop; a second call opens and closes nothing more', async () => {
    const stores: { closed: number }[] = []
    const open = () => {
      const store = openSqlite(':memory:')
      const seen = { closed: 0 }
      stores.push(seen)
      const close = () => {
        seen.closed++
        return store.close()
      }
      return { ...store, close }
    }
    const bot = assemble({ ...quiet, signingSecret: 's' }, { environment: {}, open })
    const stateOf = async () => (await refusal(() => bot.to('255712000101').send('hi', { key: 'k' }))).code
    await Promise.all([bot.start(), bot.start()])
    await bot.start()
    expect(stores).toEqual([{ closed: 0 }])
    expect(await stateOf()).toBe('no_access_token')
    await Promise.all([bot.stop(), bot.stop()])
    await bot.stop()
    expect(stores).toEqual([{ closed: 1 }])
    expect(await stateOf()).toBe('not_started')
    await bot.start()
    expect(stores).toEqual([{ closed: 1 }, { closed: 0 }])
    expect(await stateOf()).toBe('no_access_token')
    await bot.stop()
    expect(stores).toEqual([{ closed: 1 }, { closed: 1 }])
  })
})

it('a handler may be for an event that the specification does not name, and a start warns of it; those that it only declares are in one line at the first start [R EVT-01]', async () => {
  const said: unknown[] = []
  const warn = (about: unknown, text: string) => void said.push(['warn', about, text])
  const info = (about: { events?: string }, text: string) => void (about.events && said.push(['info', about, text]))
  const logger = { debug: () => {}, info, warn, error: () => {} }
  const start = async (baseUrl: string, database = join(temporaryFolder(), 'bot.db')) => {
    said.length = 0
    const bot = createBot({ signingSecret: 's', accessToken: 't', baseUrl, allowedRecipients: [], database, logger })
    bot.on('shop:opened', () => {})
    for (const _ of [1, 2]) bot.on('order.paid', () => {})
    bot.on('message.sent', () => {})
    bot.on('message.status:read', () => {})
    await bot.start()
    await bot.stop()
    return database
  }
  const misspelt = ['warn', { event: 'shop:opened' }, expect.stringContaining('check its spelling')]
  const database = await start('https://service.example')
  expect(said).toEqual([
    misspelt,
    ['info', { events: ['order.paid', 'message.sent'] }, expect.stringContaining('may never publish')],
  ])
  await start('https://service.example', database)
  expect(said).toEqual([misspelt])
  await start('http://127.0.0.1:4747')
  expect(said).toEqual([misspelt])
})
