/**
 * A bot in its own process, which receives or works as the environment says. It echoes each message, and tells its
 * parent of each that it handles. Called with a number, it halts once it has stored so many deliveries, before it answers
 * the last of them, or has handled so many messages, before it settles the last of them.
 */
import { flushCompileCache } from 'node:module'
import { serve } from 'switchhook/node'
import { assemble } from '../../src/bot/bot.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { tellParent } from '../support/tell-parent.ts'

let left = Number(process.argv[3] ?? Infinity)
async function haltAtLast(): Promise<void> {
  if (--left > 0) return
  tellParent('halted')
  await new Promise(() => {})
}

const bot = assemble(
  { logger: false },
  {
    open(database) {
      const store = openSqlite(database)
      return {
        ...store,
        async accept(...given) {
          const accepted = await store.accept(...given)
          await haltAtLast()
          return accepted
        },
        async settleItem(...given) {
          await haltAtLast()
          return store.settleItem(...given)
        },
      }
    },
  },
)
bot.otherwise(async (ctx) => {
  tellParent('handles')
  await ctx.reply(ctx.message.text ?? '')
})
await serve(bot, { port: Number(process.argv[2]) })
// A killed process would leave nothing for the next one.
flushCompileCache()
tellParent('listening')
process.once('disconnect', () => process.exit())
