import { expect, it } from 'vitest'
import { createBot } from '../../../src/bot/switchhook.ts'
import { scenario } from '../../../src/kit/testing/testing.ts'
import { ASHA } from '../../support/people.ts'

interface Line {
  readonly level: string
  readonly about: unknown
  readonly message: string | undefined
}

/** A log that keeps its lines above debug. */
function keptLog() {
  const lines: Line[] = []
  const at = (level: string) => (about: unknown, message?: string) => void lines.push({ level, about, message })
  return { lines, logger: { debug: () => {}, info: at('info'), warn: at('warn'), error: at('error') } }
}

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
