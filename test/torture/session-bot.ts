/** A bot in its own process that counts in its session; called with `halt`, it halts before it settles an item. */
import { flushCompileCache } from 'node:module'
import { serve } from 'switchhook/node'
import { z } from 'zod'
import { assemble } from '../../src/bot/bot.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { tellParent } from '../support/tell-parent.ts'

const halts = process.argv[2] === 'halt'
const session = z.object({ n: z.number().default(0) })
const bot = assemble(
  { logger: false, session },
  {
    open(database) {
      const store = openSqlite(database)
      return {
        ...store,
        async settleItem(...settling) {
          if (halts) {
            tellParent('halted')
            await new Promise(() => {})
          }
          return store.settleItem(...settling)
        },
      }
    },
  },
)
bot.otherwise(async (ctx) => {
  const kept = ctx.session as z.infer<typeof session>
  await ctx.reply(String(++kept.n))
})
await serve(bot, { port: Number(process.argv[3]) })
// A killed process would leave nothing for the next one.
flushCompileCache()
tellParent('listening')
process.once('disconnect', () => process.exit())
