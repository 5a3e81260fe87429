/** A bot in its own process that answers every message, and reports on its process when asked. */
import { createBot } from 'switchhook'
import { serve } from 'switchhook/node'
import { tellParent } from '../../test/support/tell-parent.ts'

/** The figures of the process; `lags` are those of the messages that were handled since the last question. */
export interface Figures {
  readonly handled: number
  /** Bytes, after a collection. */
  readonly heap: number
  readonly rss: number
  /** Sockets, timers and files that keep the process alive. */
  readonly handles: number
  /** Milliseconds from the post of a message, whose text is that time, until its reply was accepted. */
  readonly lags: readonly number[]
}

let handled = 0
let lags: number[] = []
const bot = createBot({ logger: false })
bot.otherwise(async (ctx) => {
  await ctx.reply('Bei ya viatu ni 35,000. Tunafungua saa tatu asubuhi.')
  lags.push(Date.now() - Number(ctx.message.text))
  handled++
})

const { url } = await serve(bot, { port: 0 })
tellParent({ url })
process.on('message', () => {
  // The second collection takes what the first one's finalizers let go.
  for (const _ of [1, 2]) globalThis.gc?.()
  const { heapUsed: heap, rss } = process.memoryUsage()
  const handles = process.getActiveResourcesInfo().length
  tellParent({ handled, heap, rss, handles, lags } satisfies Figures)
  lags = []
})
process.once('disconnect', () => process.exit())
