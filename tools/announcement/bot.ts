/** A bot in its own process that announces, or only continues what another process began, and reports on its memory. */
import { type Announcement, createBot, template } from 'switchhook'
import { tellParent } from '../../test/support/tell-parent.ts'

export interface Figures {
  readonly progress: Awaited<ReturnType<Announcement['progress']>>
  /** Bytes, after a collection. */
  readonly heap: number
}

export type Asked = 'figures' | 'pause' | 'resume' | { readonly optOut: string }

const FIRST = 255_712_000_000
const count = Number(process.env['RECIPIENTS'])
const perMinute = Number(process.env['PER_MINUTE'])

const bot = createBot({ logger: false })
bot.otherwise(() => {})
await bot.start()

async function* recipients(): AsyncGenerator<string> {
  for (let index = 0; index < count; index++) yield String(FIRST + index)
}

// Without recipients it is the handle of the stored announcement, which continues automatically.
const named = process.env['BEGINS'] === '1' ? recipients() : []
const job = await bot.announce(['sale', 7], named, template('news', 'en'), { perMinute })
tellParent('ready')

process.on('message', (asked: Asked) => void act(asked))
process.once('disconnect', () => process.exit())

async function act(asked: Asked): Promise<void> {
  if (asked === 'pause') await job.pause()
  else if (asked === 'resume') await job.resume()
  else if (asked !== 'figures') await bot.to(asked.optOut).optOut({ how: 'message' })
  // The second collection takes what the first one's finalizers let go.
  for (const _ of [1, 2]) globalThis.gc?.()
  tellParent({ progress: await job.progress(), heap: process.memoryUsage().heapUsed } satisfies Figures)
}
