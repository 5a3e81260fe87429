/**
 * A bot in its own process with one conversation. Its arguments: the port, and how many operations of its store may
 * land that handle a message before it halts (0: it never does).
 */
import { flushCompileCache } from 'node:module'
import { serve } from 'switchhook/node'
import { assemble } from '../../src/bot/bot.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { tellParent } from '../support/tell-parent.ts'

const [port, haltsAfter] = process.argv.slice(2).map(Number)
let landed = 0

/** The process halts behind an operation that has landed. */
function halting<Given extends unknown[], T>(operation: (...given: Given) => Promise<T>) {
  return async (...given: Given): Promise<T> => {
    const result = await operation(...given)
    if (++landed === haltsAfter) {
      tellParent('halted')
      await new Promise(() => {})
    }
    return result
  }
}

const bot = assemble(
  { logger: false, attempts: { max: 50 } },
  {
    open(database) {
      const store = openSqlite(database)
      return {
        ...store,
        openSend: halting(store.openSend),
        settleSend: halting(store.settleSend),
        keepStep: halting(store.keepStep),
        settleItem: halting(store.settleItem),
      }
    },
  },
)
const booking = bot.conversation('booking', { version: 1, timeout: '1h' }, async (chat) => {
  const day = await chat.ask('Day?')
  const id = await chat.once('book', () => `booked ${day}`)
  await chat.say(id)
  await chat.say(`sure? ${await chat.ask('Name?')}`)
})
bot.hears('book', (ctx) => ctx.enter(booking))
bot.otherwise((ctx) => ctx.reply('route'))
await serve(bot, { port: Number(port) })
// A killed process would leave nothing for the next one.
flushCompileCache()
tellParent('listening')
process.once('disconnect', () => process.exit())
