import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { oneTimeCode, template } from '../../src/bot/switchhook.ts'
import { json, startService } from '../client/service.ts'
import { read } from '../store/sqlite-backend.ts'
import { ASHA, JUMA, openWorld, type World } from '../support/world.ts'

const TOKEN = 'EAAGcanaryTokenOfTheNumber0123456789abcdefXYZ'
const SECRET = 'canary-signing-secret-of-the-subscription'
const TEXT = 'Your loan of 3,450,000 shillings was refused'
const NAME = 'Mwanaidi Kisongo-Abubakar'
const CODE = '70418265'
const LOGIN = { name: 'login_code', language: 'sw', category: 'AUTHENTICATION' }

/** All that a person may see without looking at a message: errors, however they are printed, and the log. */
function visibleText(world: World, errors: readonly unknown[]): string {
  const printed = errors.flatMap((error) => [
    inspect(error, { depth: 20, showHidden: true }),
    JSON.stringify(error),
    String(error),
    error instanceof Error ? error.stack : '',
    error instanceof Error ? inspect(error.cause, { depth: 20, showHidden: true }) : '',
  ])
  const lines = world.lines.filter(({ level }) => level !== 'debug')
  return [...printed, inspect(lines, { depth: 20 }), JSON.stringify(lines)].join('\n')
}

/** Expects no canary, and no eight characters of the token. */
function expectNone(within: string, ...canaries: readonly string[]): void {
  for (const canary of canaries) expect(within).not.toContain(canary)
  const pieces = Array.from({ length: TOKEN.length - 7 }, (_, at) => TOKEN.slice(at, at + 8))
  expect(pieces.filter((piece) => within.includes(piece))).toEqual([])
}

/** A service that refuses everything, and repeats the whole request in each way that it has. */
const echoing = (status: number) =>
  startService((response, { headers, body, url }) => {
    if (url.includes('/templates')) return json(403, { code: 'account_suspended', message: 'x' })(response)
    const input: unknown = JSON.parse(body)
    const message = `refused: ${headers.authorization} sent ${body}`
    const detail = [{ loc: ['body', 'text'], msg: message, type: 'value_error', input, ctx: { input } }]
    return json(status, { code: 'validation_error', message, detail, input, headers })(response)
  })

it('a service that repeats its requests shows neither token, secret, text nor phone in errors, log and reasons [B AUTH-07, F-85, F-86, F-87]', async () => {
  await using service = await echoing(422)
  const errors: unknown[] = []
  await using world = await openWorld(
    (bot) => {
      bot.onError((error) => {
        errors.push(error)
      })
      bot.otherwise((ctx) => ctx.reply(`${TEXT}, ${NAME}`, { outsideWindow: order(NAME) }))
    },
    { options: { baseUrl: service.url, accessToken: TOKEN, signingSecret: SECRET }, emulator: { secret: SECRET } },
  )
  await world.emulator.customer(ASHA).says('tell me about my loan')
  await world.until(async () => (await world.counts()).items['dead'] === 1)
  await world.bot
    .to(JUMA)
    .send(TEXT, { key: 'k' })
    .catch((error: unknown) => errors.push(error))
  expect(service.seen.filter(({ method }) => method === 'POST')).toHaveLength(2)
  expect(errors).toHaveLength(2)
  expectNone(visibleText(world, errors), TOKEN, SECRET, TEXT, NAME, ASHA, JUMA)
  const kept = JSON.stringify([
    read(world.database, 'SELECT code, reason FROM sends'),
    read(world.database, 'SELECT reason FROM work'),
  ])
  expectNone(kept, TOKEN, SECRET, TEXT, NAME, ASHA, JUMA)
  expectNone(await world.bytesOnDisk(), TOKEN, SECRET)
})

it('a rerun with another text reveals no customer in the error and the log, by ctx.to or by a key of the app [F-87]', async () => {
  const errors: unknown[] = []
  let runs = 0
  await using world = await openWorld((bot) => {
    bot.onError((error) => void errors.push(error))
    bot.otherwise(async (ctx) => {
      await ctx.to(JUMA).send(`run ${++runs}`, { at: '24h' })
      throw new Error('again')
    })
  })
  await world.bot.to(JUMA).send('one', { key: ['order', JUMA], at: '24h' })
  await world.emulator.customer(ASHA).says('hello')
  await world.until(async () => (await world.counts()).items['dead'] === 1)
  errors.push(
    await world.bot
      .to(JUMA)
      .send('two', { key: ['order', JUMA] })
      .catch((error: unknown) => error),
  )
  expect(errors.map((error) => (error as { code?: string }).code)).toEqual([undefined, 'diverged', 'diverged'])
  expect(world.lines.filter(({ message }) => message?.startsWith('a rerun produced'))).toHaveLength(2)
  expectNone(visibleText(world, errors), ASHA, JUMA)
  const reasons = JSON.stringify(read(world.database, 'SELECT reason FROM work'))
  expect(reasons).toContain('otherwise/to:')
  expectNone(reasons, JUMA)
})

it('a handler that fails is named in the log of each attempt, with its place in the app’s own code: no number, token or text of a customer [F-87]', async () => {
  await using world = await openWorld(
    (bot) => {
      bot.hears(/loan/, function answerLoan(ctx) {
        throw new TypeError(`no loan "${ctx.message.text}" of ${ctx.customer} or ${JUMA}, asked with ${TOKEN}`)
      })
    },
    { options: { attempts: { max: 3 } } },
  )
  await world.emulator.customer(ASHA).says(`my loan, says ${NAME}`)
  await world.until(async () => (await world.counts()).items['dead'] === 1)
  const failed = world.lines
    .map(({ about }) => about as { err?: { message: string; stack?: string } })
    .filter(({ err }) => err)
  expect(failed).toMatchObject(
    [1, 2, 3].map((attempt) => ({
      attempt,
      route: expect.stringContaining('hears:'),
      delivery: expect.stringMatching(/^[0-9A-Z]{26}$/),
    })),
  )
  for (const { err } of failed) expect(err?.message).toBe('no loan "[text]" of …101 or …102, asked with EAAGca…fXYZ')
  const [row] = read(world.database, "SELECT reason FROM work WHERE state = 'dead'") as { reason: string }[]
  expect(row?.reason).toBe('TypeError: no loan "[text]" of …101 or …102, asked with EAAGca…fXYZ')
  expect(failed[0]?.err?.stack).toMatch(
    /^TypeError: no loan .*\n +at answerLoan \(test\/journeys\/redaction\.test\.ts:\d+:\d+\)\n/,
  )
  const kept = JSON.stringify(read(world.database, 'SELECT failure FROM work'))
  expect(kept).toContain('at answerLoan (test/journeys/redaction.test.ts:')
  expectNone(visibleText(world, []) + kept, TOKEN, NAME, ASHA, JUMA)
})

describe('a bot at its daily work', () => {
  it('keeps codes, token, secret, texts and phones out of log, results and inspectors [B OTP-06, B AUTH-07, F-83, F-86, F-87]', async () => {
    const results: unknown[] = []
    await using world = await openWorld(
      (bot) => {
        bot.otherwise(async (ctx) => void results.push(await ctx.reply(`${TEXT}, ${NAME}`)))
        bot.on('message.status:delivered', (ctx) => void results.push(ctx.sent))
      },
      { emulator: { token: TOKEN, secret: SECRET } },
    )
    await world.control('POST', 'templates', LOGIN)
    await world.emulator.customer(ASHA).says(`My name is ${NAME}`)
    await world.until(() => results.length >= 1)
    results.push(await world.bot.to(ASHA).send(oneTimeCode('login_code', 'sw', CODE), { key: ['login', 1] }))
    await world.until(() => results.length === 4)
    await world.settled()
    expectNone(visibleText(world, []), TOKEN, SECRET, CODE, TEXT, NAME, ASHA)
    expectNone(inspect(results, { depth: 20, showHidden: true }) + JSON.stringify(results), TOKEN, SECRET, CODE, TEXT)
    expectNone(inspect(world.bot, { depth: 20, showHidden: true }), TOKEN, SECRET, CODE)
    expectNone(await world.bytesOnDisk(), TOKEN, SECRET, CODE)
    expect((await world.emulator.customer(ASHA).codes()).map(({ code }) => code)).toEqual([CODE])
  })

  it('leaves no trace of a code if its outcome stays unknown, or if the bot stops in the middle [B OTP-06, F-83, F-84]', async () => {
    const routes = () => {}
    await using world = await openWorld(routes, { emulator: { token: TOKEN } })
    await world.control('POST', 'templates', LOGIN)
    await world.emulator.faults.set([{ on: 'send', do: 'late_answer' }])
    const errors: unknown[] = []
    const lost = world.bot
      .to(ASHA)
      .send(oneTimeCode('login_code', 'sw', CODE), { key: 'a' })
      .catch((error: unknown) => errors.push(error))
    await world.until(async () => (await world.emulator.customer(ASHA).codes()).length === 1)
    await world.restart(routes)
    await world.until(async () => (await world.counts()).sends['lost_code'] === 1)
    expectNone(await world.bytesOnDisk(), CODE, TOKEN)
    expectNone(visibleText(world, errors), CODE, TOKEN)
    void lost
  })
})

function order(name: string) {
  return template('order_ready', 'sw', { body: [name] })
}
