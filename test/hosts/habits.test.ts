import express from 'express'
import { describe, expect, it } from 'vitest'
import { webhook } from 'switchhook/express'
import { ask, listenOn } from '../bot/in/adapters/http.ts'
import { botOn } from '../bot/in/bot.ts'
import { headersOf, MESSAGE, SECONDS, signatureOf, vector } from '../bot/in/signing.ts'
import { ASHA, openWorld } from '../support/world.ts'
import { dress, PATH } from './app.ts'

const ACCEPTED = { status: 200, body: '{"status":"accepted"}' }
const DUPLICATE = { status: 200, body: '{"status":"duplicate"}' }
const UNAUTHORIZED = { status: 401, body: '{"error":"unauthorized"}' }

type Register = (bot: ReturnType<typeof botOn>['bot']) => void

/** A bot in an app as people have them; a failed attempt runs again at once. */
async function appWith(register: Register = () => {}) {
  const on = botOn({ overrides: { random: () => 0 } })
  register(on.bot)
  await on.bot.start()
  const app = express()
  dress(app)
  app.use(PATH, webhook(on.bot))
  app.use(express.json())
  const { port } = await listenOn(app)
  const post = (body: Uint8Array = MESSAGE, headers: Record<string, string> = headersOf(body)) =>
    ask(port, PATH, { headers, body })
  const rows = async () => Object.values((await on.counts()).deliveries).reduce((sum, count) => sum + count, 0)
  return { ...on, post, rows }
}

function openGate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

/** The usual mistakes of webhook libraries, over HTTP, with a bot as it ships. */
describe('a repeated delivery', () => {
  it('runs its handler once, whether it is identical or signed again [R DEL-01 SIG-07, F-27]', async () => {
    const runs: unknown[] = []
    const { bot, post, until } = await appWith((bot) => bot.otherwise((ctx) => void runs.push(ctx.message.text)))
    expect(await post()).toMatchObject(ACCEPTED)
    await until('items', 'done', 1)
    expect(await post()).toMatchObject(DUPLICATE)
    expect(await post(MESSAGE, headersOf(MESSAGE, { timestamp: SECONDS + 30 }))).toMatchObject(DUPLICATE)
    // A handler that is still to run would run before this ends.
    await bot.stop()
    expect(runs).toEqual(['Habari'])
  })

  it('under another id is stored, and not handled [R SIG-07, F-24]', async () => {
    const runs: unknown[] = []
    const { post, rows, until, bot } = await appWith((bot) => bot.otherwise((ctx) => void runs.push(ctx.message.text)))
    expect(await post()).toMatchObject(ACCEPTED)
    await until('items', 'done', 1)
    expect(await post(MESSAGE, headersOf(MESSAGE, { delivery: '01HZY3F8Q2V6J9K4M7N0P5R8TC' }))).toMatchObject(DUPLICATE)
    expect(await rows()).toBe(2)
    await bot.stop()
    expect(runs).toEqual(['Habari'])
  })

  it('24 times at once is one row and one run, and 24 times 200 [R DEL-01 SIG-07, F-49]', async () => {
    const runs: unknown[] = []
    const { bot, post, rows, until, counts } = await appWith((bot) =>
      bot.otherwise((ctx) => void runs.push(ctx.message.text)),
    )
    const answers = await Promise.all(Array.from({ length: 24 }, () => post()))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 24 }, () => 200))
    expect(answers.filter(({ body }) => body === ACCEPTED.body)).toHaveLength(1)
    expect(answers.filter(({ body }) => body === DUPLICATE.body)).toHaveLength(23)
    await until('items', 'done', 1)
    expect(await rows()).toBe(1)
    expect((await counts()).items).toEqual({ done: 1 })
    await bot.stop()
    expect(runs).toEqual(['Habari'])
  })

  it('shows the customer one reply [R DEL-01 SIG-07, F-23]', async () => {
    await using world = await openWorld((bot) => bot.otherwise((ctx) => ctx.reply('Karibu')))
    const { deliveryIds } = await world.emulator.customer(ASHA).says('Habari')
    await world.until(async () => (await world.replies()).length > 0)
    for (const id of deliveryIds)
      for (const exact of [true, false]) await world.control('POST', `deliveries/${id}/redeliver`, { exact })
    const again = () => world.lines.filter(({ message }) => message === 'repeated delivery')
    await world.until(() => again().length === 2 * deliveryIds.length)
    await world.settled()
    expect(await world.replies()).toEqual(['Karibu'])
  })
})

describe('a wrong time', () => {
  it.each([
    ['an hour ahead', SECONDS + 3_600],
    ['301 s ahead', SECONDS + 301],
    ['301 s behind', SECONDS - 301],
    ['in milliseconds', SECONDS * 1_000],
    ['with junk behind it', `${SECONDS}junk`],
    ['with a sign', `+${SECONDS}`],
    ['as a fraction', `${SECONDS}.0`],
    ['no number', 'NaN'],
  ])('is refused, even if it is signed: %s [R SIG-05, F-15, F-16]', async (_, timestamp) => {
    const { post, rows } = await appWith()
    expect(await post(MESSAGE, headersOf(MESSAGE, { timestamp }))).toMatchObject(UNAUTHORIZED)
    expect(await rows()).toBe(0)
  })

  it.each([300, -300])('of %i s is accepted [R SIG-05, F-15]', async (off) => {
    const { post } = await appWith()
    expect(await post(MESSAGE, headersOf(MESSAGE, { timestamp: SECONDS + off }))).toMatchObject(ACCEPTED)
  })
})

describe('bytes that a text would lose', () => {
  it.each(['bom', 'invalid-utf8', 'nul-byte', 'escaped-and-raw-unicode', 'number-forms', 'key-order-and-duplicates'])(
    'are verified as bytes, and stored: %s [R SIG-02, F-10, F-11]',
    async (name) => {
      const { post, rows } = await appWith()
      const { body, signature } = vector(name)
      expect(await post(body, { ...headersOf(body), 'x-service-signature': signature })).toMatchObject(ACCEPTED)
      expect(await rows()).toBe(1)
    },
  )

  it('with a byte order mark still give the handler the message [R SIG-02, F-11]', async () => {
    const runs: unknown[] = []
    const { post, until } = await appWith((bot) => bot.otherwise((ctx) => void runs.push(ctx.message.text)))
    const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), MESSAGE])
    expect(await post(body)).toMatchObject(ACCEPTED)
    await until('items', 'done', 1)
    expect(runs).toEqual(['Habari'])
  })

  it('that are not UTF-8 are acknowledged and stored as quarantined [R SIG-09, F-11]', async () => {
    const { post, until } = await appWith()
    const { body } = vector('invalid-utf8')
    expect(await post(body)).toMatchObject(ACCEPTED)
    await until('deliveries', 'quarantined', 1)
  })

  it.each(['spaced-json', 'number-forms', 'key-order-and-duplicates', 'escaped-and-raw-unicode'])(
    'have a signature that does not fit another form: %s, re-serialised [R SIG-02, F-8]',
    async (name) => {
      const { post, rows } = await appWith()
      const { body, signature } = vector(name)
      const rewritten = Buffer.from(JSON.stringify(JSON.parse(String(body))))
      expect(rewritten.equals(body)).toBe(false)
      const headers = { ...headersOf(rewritten), 'x-service-signature': signature }
      expect(await post(rewritten, headers)).toMatchObject(UNAUTHORIZED)
      expect(await rows()).toBe(0)
    },
  )
})

describe('a handler', () => {
  it('that takes long delays neither the answer nor the next delivery [R DEL-02 DEL-04]', async () => {
    const [begun, gate] = [openGate(), openGate()]
    const { post, until, counts } = await appWith((bot) =>
      bot.otherwise(async () => {
        begun.open()
        await gate.opened
      }),
    )
    // The handlers wait at the gate until these answers have come.
    expect(await post()).toMatchObject(ACCEPTED)
    await begun.opened
    expect((await counts()).items).toMatchObject({ running: 1 })
    expect(await post(MESSAGE, headersOf(MESSAGE, { delivery: 'next', timestamp: SECONDS + 1 }))).toMatchObject(
      ACCEPTED,
    )
    expect(await post()).toMatchObject(DUPLICATE)
    gate.open()
    await until('items', 'done', 1)
  })

  it('that throws after the acknowledgement runs again, and the answer was 200 [R DEL-02, F-47]', async () => {
    const attempts: number[] = []
    const { post, until } = await appWith((bot) =>
      bot.otherwise((ctx) => {
        attempts.push(ctx.attempt)
        if (ctx.attempt < 3) throw new Error('the shop is closed')
      }),
    )
    expect(await post()).toMatchObject(ACCEPTED)
    await until('items', 'done', 1)
    expect(attempts).toEqual([1, 2, 3])
    expect(await post()).toMatchObject(DUPLICATE)
  })

  it('that always throws leaves a dead letter, and the answer was 200 [R DEL-02, F-47]', async () => {
    const { post, until } = await appWith((bot) =>
      bot.otherwise(() => {
        throw new Error('never')
      }),
    )
    expect(await post()).toMatchObject(ACCEPTED)
    await until('items', 'dead', 1)
    expect(await post()).toMatchObject(DUPLICATE)
  })

  it('that replied and then threw replies once [R DEL-02, F-47]', async () => {
    const attempts: number[] = []
    await using world = await openWorld((bot) =>
      bot.otherwise(async (ctx) => {
        await ctx.reply('Karibu')
        attempts.push(ctx.attempt)
        if (ctx.attempt === 1) throw new Error('after the reply')
      }),
    )
    await world.emulator.customer(ASHA).says('Habari')
    await world.until(() => attempts.length === 2)
    await world.settled()
    expect(attempts).toEqual([1, 2])
    expect(await world.replies()).toEqual(['Karibu'])
  })
})

describe('a way around the signature', () => {
  it.each(['?ssl_check=1', '?challenge=x', '?hub.challenge=x&hub.mode=subscribe', '?test=true'])(
    'does not exist: %s [R SIG-08, F-22]',
    async (query) => {
      const on = await appWith()
      const { port } = await listenOn(express().use(PATH, webhook(on.bot)))
      const body = Buffer.from('{"challenge":"x","type":"url_verification","ssl_check":1}')
      expect(await ask(port, PATH + query, { body })).toMatchObject(UNAUTHORIZED)
      expect(await ask(port, PATH + query, { method: 'GET' })).toMatchObject({ status: 405 })
      expect(await on.rows()).toBe(0)
    },
  )

  it('is not the scheme, which the sender does not choose [R SIG-01, F-7]', async () => {
    const { post } = await appWith()
    const hex = signatureOf(MESSAGE).slice('sha256='.length)
    for (const scheme of ['sha1=', 'md5=', 'none=', 'SHA256=', ''])
      expect(await post(MESSAGE, { ...headersOf(MESSAGE), 'x-service-signature': scheme + hex })).toMatchObject(
        UNAUTHORIZED,
      )
  })
})
