import { expect, it } from 'vitest'
import { createBot } from '../../../src/bot/switchhook.ts'
import { scenario } from '../../../src/kit/testing/testing.ts'
import { ASHA, JUMA } from '../../support/people.ts'

interface Line {
  readonly level: string
  readonly about: { readonly err?: { readonly message?: string; readonly stack?: string }; readonly times?: number }
  readonly message: string | undefined
}

/** A log that keeps its lines above debug. */
function keptLog() {
  const lines: Line[] = []
  const at = (level: string) => (about: unknown, message?: string) =>
    void lines.push({ level, about: Object(about) as Line['about'], message })
  return { lines, logger: { debug: () => {}, info: at('info'), warn: at('warn'), error: at('error') } }
}

it('the stack of an error is logged once, and then the count of the error', async () => {
  const { lines, logger } = keptLog()
  const bot = createBot({ logger, attempts: { max: 3 } })
  bot.otherwise((ctx) => {
    throw new TypeError(`no price for ${ctx.customer}`)
  })
  await using s = await scenario(bot)
  for (const customer of [ASHA, JUMA])
    await s
      .customer(customer)
      .says('shoes')
      .catch(() => {})
  const errors = lines.filter(({ about }) => about.err !== undefined).map(({ about }) => about)
  expect(errors).toHaveLength(6)
  expect(errors.filter(({ err }) => err?.stack !== undefined)).toEqual([errors[0]])
  expect(errors.map(({ times }) => times)).toEqual([undefined, 2, 3, 4, 5, 6])
})

it('a message that no route handles is one line in development', async () => {
  const { lines, logger } = keptLog()
  const bot = createBot({ logger })
  bot.hears('hours', (ctx) => ctx.reply('9 to 17'))
  await using s = await scenario(bot)
  await s.customer(ASHA).says('hours')
  await s.customer(ASHA).says('prices')
  expect(lines.filter(({ message }) => message === 'no route matched')).toHaveLength(1)
  expect(JSON.stringify(lines)).not.toContain('prices')
})
