/** A bot in its own process that announces, or continues what another process began, and reports on its memory. */
import { type Announcement, createBot, template } from 'switchhook'
import { contacts } from 'switchhook/comfort'
import { tellParent } from '../../test/support/tell-parent.ts'

export interface Figures {
  readonly progress: Awaited<ReturnType<Announcement['progress']>>
  /** Bytes, after a collection. */
  readonly heap: number
  /** How many recipients the list has in each state, if that was asked. */
  readonly states?: Readonly<Record<string, number>>
}

export type Asked =
  | 'begin'
  | 'figures'
  | 'pause'
  | 'recipients'
  | 'resume'
  | 'retry'
  | { readonly optOut: readonly string[] }

const bot = createBot({ logger: false })
bot.otherwise(() => {})
await bot.start()
tellParent('ready')

process.on('message', (asked: Asked) => void act(asked))
process.once('disconnect', () => process.exit())

/** Without rows it is the handle of the stored announcement, which continues automatically. */
async function announce(begins: boolean): Promise<Announcement> {
  const rows = begins ? contacts(String(process.env['LIST'])) : []
  const perMinute = Number(process.env['PER_MINUTE'])
  return bot.announce(['sale', 7], rows, template('news', 'en'), { perMinute })
}

let job: Promise<Announcement> | undefined

async function act(asked: Asked): Promise<void> {
  if (typeof asked !== 'string') {
    for (const customer of asked.optOut) await bot.to(customer).optOut({ how: 'message' })
    return tellParent('done')
  }
  const handle = await (job ??= announce(asked === 'begin'))
  if (asked === 'pause') await handle.pause()
  else if (asked === 'resume') await handle.resume()
  else if (asked === 'retry') await handle.retry()
  const states = asked === 'recipients' ? await statesOf(handle) : undefined
  // The second collection takes what the first one's finalizers let go.
  for (const _ of [1, 2]) globalThis.gc?.()
  const heap = process.memoryUsage().heapUsed
  tellParent({ progress: await handle.progress(), heap, ...(states && { states }) } satisfies Figures)
}

async function statesOf(handle: Announcement): Promise<Record<string, number>> {
  const states: Record<string, number> = {}
  for await (const { state } of handle.recipients()) states[state] = (states[state] ?? 0) + 1
  return Object.fromEntries(Object.entries(states).sort(([a], [b]) => (a < b ? -1 : 1)))
}
