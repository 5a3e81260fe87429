import { isSource } from '../app/numbers.ts'
import { lockAtHand } from '../app/payload-lock.ts'
import type { Lifecycle } from '../app/lifecycle.ts'
import type { BotOptions } from '../app/options.ts'
import { signDelivery } from '../receive/signature.ts'
import { createActivity } from '../testing/activity.ts'
import { createMemoryDatabase, startProcess } from '../testing/bot-process.ts'
import { createService } from '../testing/service.ts'
import { createSettler } from '../testing/settler.ts'
import { createVirtualTime } from '../testing/virtual-time.ts'
import type { Collector } from './collect.ts'
import { playedStore } from './played-store.ts'
import type { Recorded, WorldOptions } from './recording.ts'

/** A bot in a world of its own: an emulator, a database in memory, and the time of the recording. */
export interface World {
  /** Lets time pass until then, and all happen that is due. */
  until(at: number): Promise<void>
  /** Hands a delivery to the bot, and resolves when all that it causes has settled. */
  deliver(delivery: Recorded): Promise<void>
}

/** The events that follow from a bot's own sends. Without a handler they would cost more than all else. */
const OF_SENDS = ['message.status', 'message.sent']

/** Real time that a handler may run code of its own, as long as the deadline of an attempt is by default. */
const HANDLER_TIMEOUT_MS = 30_000

export interface WorldDeps extends WorldOptions {
  readonly deliveries: readonly Recorded[]
  readonly collector: Collector
  readonly handlerTimeoutMs?: number
}

/** @throws what `bot.start()` throws. */
export async function openWorld(life: Lifecycle, given: WorldDeps): Promise<World> {
  const { deliveries, collector, handlerTimeoutMs = HANDLER_TIMEOUT_MS } = given
  const time = createVirtualTime(deliveries[0]?.at ?? 0)
  const activity = createActivity()
  const serviceTimers = time.timers()
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]))
  const subscribed = OF_SENDS.some((event) => life.listens(event))
  const service = await createService({
    given: life.options,
    names: isSource(life.options.numbers) ? numbersIn(deliveries) : undefined,
    templates: given.templates,
    assumptions: subscribed ? {} : { declaredEvents: 'unpublished' },
    payloads: undefined,
    subscribed,
    time,
    timers: serviceTimers,
    activity,
    deliver: async (incoming) => current.receive(incoming),
  })
  for (const { emulator } of service.numbers)
    emulator.watchThreads((_, item) => item.direction === 'OUTBOUND' && collector.shown(item))

  const memory = createMemoryDatabase()
  const database = {
    ...memory,
    open: async () =>
      playedStore(await memory.open(), {
        conversations: given.conversations ?? [],
        deliveryOf: (id) => (id === undefined ? undefined : byId.get(id)),
        hasWritten: (number, customer) => service.number(number).emulator.hasWritten(customer),
        recorded: collector.recorded,
      }),
  }
  const current = await startProcess({
    life,
    database,
    time,
    activity,
    options: (options) => productionOptions(service.botOptions(options)),
    hooks: collector.hooks,
    environment: { NODE_ENV: 'production' },
  })
  const settler = createSettler({
    time,
    activity,
    service,
    serviceTimers,
    handlerTimeoutMs,
    // A back-off lasts until its time comes: the next delivery may be earlier.
    turnLastsMs: 0,
    currentProcess: () => current,
  })

  return {
    until: (at) => settler.settle(at),
    async deliver({ id, event, body, number }) {
      const bytes = Buffer.from(body)
      const { secret } = service.number(number)
      const { headerPrefix } = life.options
      const headers = signDelivery({
        body: bytes,
        secret,
        at: new Date(time.now()),
        event,
        deliveryId: id,
        ...(headerPrefix !== undefined && { headerPrefix }),
      })
      const answer = await activity.during(
        current.receive({ method: 'POST', headers: lowerCased(headers), readBody: async () => ({ bytes }) }),
      )
      if (answer?.status !== 200) throw new Error(`the bot answered it with ${answer?.status ?? 'nothing'}`)
      await settler.settle()
    },
  }
}

/** The numbers of a platform come from a source, which is not asked here: it may be a database, or a service. */
function numbersIn(deliveries: readonly Recorded[]): string[] {
  const named = new Set(deliveries.flatMap(({ number }) => number ?? []))
  return named.size > 0 ? [...named] : ['default']
}

/** As in production: recorded payloads are the service's own, and were taken for different ones when they came. */
function productionOptions(options: BotOptions): BotOptions {
  const lock = options.payloadLock ?? lockAtHand()
  return { ...options, identicalDeliveries: 'dispatch', ...(lock !== undefined && { payloadLock: lock }) }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
