/** The bot that all processes run, receivers and workers alike. */
import type { Pool } from 'pg'
import { createBot } from 'switchhook'
import { noteOrder } from './orders.ts'
import { tenantsOf } from './tenants.ts'

export type Platform = ReturnType<typeof createPlatform>

export function createPlatform(pool: Pool) {
  const bot = createBot({ database: pool, numbers: tenantsOf(pool) })

  bot.hears(/^order (.+)$/i, async (ctx) => {
    const what = ctx.match[1] ?? ''
    await noteOrder(pool, { delivery: ctx.event.deliveryId, tenant: ctx.number, customer: ctx.customer, what })
    await ctx.reply(`${what}: noted.`)
  })
  bot.otherwise((ctx) => ctx.reply('Write what you want, for instance: order 3 mangoes'))
  return bot
}
