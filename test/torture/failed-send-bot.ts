/**
 * A bot in its own process that tells its parent of each send that failed. Called with `send`, it stores a send that
 * the service refuses, and halts once that is settled, before any handler hears of it.
 */
import { flushCompileCache } from 'node:module'
import { serve } from 'switchhook/node'
import { assemble } from '../../src/bot/bot.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { tellParent } from '../support/tell-parent.ts'

const halts = process.argv[2] === 'send'
const bot = assemble(
  { logger: false },
  {
    open(database) {
      const store = openSqlite(database)
      if (!halts) return store
      return {
        ...store,
        claimItems: async () => ({ held: [], nextAt: undefined }),
        async settleSend(...settling) {
          await store.settleSend(...settling)
          tellParent('settled')
          return new Promise(() => {})
        },
      }
    },
  },
)
bot.otherwise(() => {})
bot.onSendFailed((ctx) => tellParent(`${ctx.send.state} ${ctx.send.ref} ${ctx.code}`))
await serve(bot, { port: Number(process.argv[3]) })
// A killed process would leave nothing for the next one.
flushCompileCache()
tellParent('listening')
if (halts) await bot.to('255712000101').send('ready', { key: 'k', ref: '7781', wait: 'stored' })
process.once('disconnect', () => process.exit())
