import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { SwitchhookError, verifyDelivery } from 'switchhook'
import { createKeyring } from '../../../src/bot/inbox/signature.ts'
import { botOn } from './bot.ts'
import { ACCEPTED, receiverOn } from './receiver.ts'
import { headersOf, MESSAGE, NOW } from './signing.ts'

const CANARY = 'CANARYwhsec7f3kQ9zX2mV8bT5nR1pL6wD4sG0hJ'
const PIECES = Array.from({ length: CANARY.length - 5 }, (_, at) => CANARY.slice(at, at + 6))

/** Every way in which a value is usually printed. */
function printed(value: unknown): string {
  const ways = [inspect(value, { depth: 20, showHidden: true, getters: true }), String(value), JSON.stringify(value)]
  for (let at: unknown = value; at instanceof Error; at = at.cause) ways.push(at.message, at.stack ?? '')
  return ways.join('\n')
}

function expectClean(value: unknown): void {
  const text = typeof value === 'string' ? value : printed(value)
  expect(PIECES.filter((piece) => text.includes(piece))).toEqual([])
}

function thrownBy(run: () => unknown): SwitchhookError {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(SwitchhookError)
    return error as SwitchhookError
  }
  throw new Error('nothing was thrown')
}

const judge = (secrets: Record<string, string | readonly string[]>, body: Uint8Array = MESSAGE, secret = 'whsec_b') =>
  verifyDelivery({ headers: headersOf(body, { secret }), body, secrets, now: new Date(NOW) })

it('two subscriptions may use the same delivery id [R DEL-01, F-14]', async () => {
  const service = receiverOn({ secrets: { kariakoo: 'whsec_a', mbezi: 'whsec_b' } })
  expect(await service.post(MESSAGE, headersOf(MESSAGE, { secret: 'whsec_a' }))).toMatchObject(ACCEPTED)
  expect(await service.post(MESSAGE, headersOf(MESSAGE, { secret: 'whsec_b' }))).toMatchObject(ACCEPTED)
  const rows = await service.store.unread(9)
  expect(rows.map((row) => row.subscription)).toEqual(['kariakoo', 'mbezi'])
})

describe('a secret that is invalid', () => {
  const NONE: [string, unknown][] = [
    ['empty', ''],
    ['white space of all kinds', ' \t\r\n\u00a0\u2003\ufeff'],
    ['absent', undefined],
    ['a number', 12_345],
    ['an empty list', []],
    ['a list with an empty one', ['whsec_b', '']],
    ['one with a line break from a file', `${CANARY}\n`],
  ]

  it.each(NONE)('is refused by name and never shown: %s [R SIG-08 AUTH-07, F-13]', (_, secret) => {
    const secrets = { kariakoo: 'whsec_a', mbezi: secret } as Record<string, string>
    for (const run of [() => createKeyring(secrets), () => judge(secrets)]) {
      const error = thrownBy(run)
      expect(error).toMatchObject({ code: 'options_invalid', message: expect.stringContaining('"mbezi"') })
      expectClean(error)
      expect(printed(error)).not.toMatch(/12345|whsec_b/)
    }
  })

  it.each<[string, unknown]>([
    ['no subscription at all', {}],
    ['a bare secret, whose letters are no secrets', CANARY],
    ['a list of secrets without names', [CANARY]],
    ['nothing', undefined],
  ])('%s is refused, and never shown [R SIG-08 AUTH-07, F-13]', (_, secrets) => {
    const error = thrownBy(() => judge(secrets as Record<string, string>, MESSAGE, 'C'))
    expect(error.code).toBe('options_invalid')
    expectClean(error)
  })

  it.each([`${CANARY}\n`, [CANARY, ` ${CANARY}`], () => `${CANARY}\n`, async () => [CANARY, '']])(
    'a bot does not start with one that has blank ends: %# [R SIG-08 AUTH-07, F-13]',
    async (signingSecret) => {
      const { bot, isOpen } = botOn({ options: { signingSecret } })
      const error: unknown = await bot.start().catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'options_invalid', message: expect.stringContaining('signingSecret') })
      expectClean(error)
      expect(isOpen()).toBe(false)
    },
  )
})

describe('a signing secret', () => {
  it('is shown by no inspector: keyring, bot [R AUTH-07]', async () => {
    expectClean(createKeyring({ shop: CANARY }))
    const { bot } = botOn({ options: { signingSecret: CANARY } })
    expectClean(bot)
    await bot.start()
    expectClean(bot)
  })

  it('is in no line of the log, whatever arrives [R AUTH-07]', async () => {
    const service = receiverOn({ secrets: { shop: CANARY } })
    const good = headersOf(MESSAGE, { secret: CANARY })
    await service.post(MESSAGE, good)
    await service.post(MESSAGE, good)
    await service.post(MESSAGE, { ...good, 'x-service-delivery': 'other' })
    await service.post(MESSAGE, { ...good, 'x-service-event': '' })
    await service.post(Buffer.from('{}'), good)
    await service.post(MESSAGE, { ...good, 'x-service-signature': 'sha256=00' })
    service.time.now += 301_000
    await service.post(MESSAGE, good)
    expect(service.lines.length).toBeGreaterThan(5)
    expectClean(service.text())
  })
})
