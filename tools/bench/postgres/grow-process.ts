/**
 * One of several processes over a database: `callers` store deliveries, each of which waits for its answer, and what begins is
 * settled at once. It claims and renews its lease as a bot does. Its store is that of a checkout, so that two are compared.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { median } from '../rounds.ts'
import { deliveryBody, ulid } from '../requests.ts'
import type { NewDelivery } from '../../../src/store/inbox/accept.ts'
import type { NewItem, StartedItem } from '../../../src/store/work/items.ts'
import type { Begun } from '../../../src/store/work/lanes.ts'

export interface Load {
  /** The checkout whose store it is. */
  readonly root: string
  readonly database: string
  readonly callers: number
  readonly customers: number
  /** A caller stores the next one when a process has handled one: so no more are open than there are callers. */
  readonly inTurn: boolean
}

/** Since the load began, but for the times, which are of the last span. */
export interface Told {
  readonly stored: number
  readonly handled: number
  readonly failed: number
  /** Microseconds. */
  readonly cpu: number
  readonly p50: number
  readonly p99: number
}

const FIRST_CUSTOMER = 255_700_000_000
const LEASE_MS = 10_000
const RENEW_MS = 3_000
const CLAIM_MS = 1_000
const FACTS =
  '{"values":{"at":"data.created_at","customer":"data.from","text":"data.content"},"sure":["customer","at"]}'

async function run({ root, database, callers, customers, inTurn }: Load): Promise<void> {
  const module = (await import(join(root, 'src/store/postgres/postgres-store.ts'))) as {
    openPostgres: typeof openPostgres
  }
  const store = await module.openPostgres(database)
  const processName = `${process.pid}`
  const [told, times] = [{ stored: 0, handled: 0, failed: 0 }, [] as number[]]
  let goes = true
  const [waiting, mayStore] = [[] as (() => void)[], { turns: callers }]

  const lease = () => ({ processName, now: store.clock(), leaseMs: LEASE_MS })

  async function handle(begun: Begun<StartedItem> | undefined): Promise<void> {
    for (let next = begun; next; ) {
      const settled = await store.settleItem(
        next.fence,
        next.work.id,
        { as: 'done' },
        { now: store.clock(), goOn: true },
      )
      if (settled.stands) {
        told.handled++
        if (inTurn) process.send?.('handled')
      }
      next = settled.next
    }
  }

  async function call(): Promise<void> {
    while (goes) {
      if (inTurn) await turn()
      const from = performance.now()
      try {
        const { delivery, item } = made(FIRST_CUSTOMER + Math.floor(Math.random() * customers), store.clock())
        const ingested = {
          state: 'ingested',
          items: [item],
          windows: [{ number: item.number, customer: item.customer as string, lastAt: item.at }],
          statuses: [],
        } as const
        const { started } = await store.accept(delivery, { ingested, begin: lease() })
        told.stored++
        times.push(performance.now() - from)
        void handle(started).catch(failed)
      } catch (error) {
        failed(error)
      }
    }
  }

  async function turn(): Promise<void> {
    if (mayStore.turns === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    else mayStore.turns--
  }

  function failed(error: unknown): void {
    if (told.failed++ === 0) console.error(error)
  }

  async function every(ms: number, work: () => Promise<unknown>): Promise<void> {
    while (goes) {
      await work().catch(failed)
      await wait(ms)
    }
  }

  async function claim(): Promise<void> {
    const { begun } = await store.claimItems({ ...lease(), limit: callers })
    for (const one of begun) void handle(one).catch(failed)
  }

  process.on('message', (asked) => {
    if (asked === 'go') {
      void every(RENEW_MS, () => store.renew(processName, store.clock, LEASE_MS))
      void every(CLAIM_MS, claim)
      void every(CLAIM_MS, () => store.claimSends({ ...lease(), limit: callers }))
      for (let caller = 0; caller < callers; caller++) void call()
    } else if (asked === 'next') {
      const next = waiting.shift()
      if (next) next()
      else mayStore.turns++
    } else if (asked === 'stop') {
      goes = false
      process.exit(0)
    } else {
      const { user, system } = process.cpuUsage()
      const span = times.splice(0)
      process.send?.({ ...told, cpu: user + system, p50: median(span), p99: part(span, 0.99) } satisfies Told)
    }
  })
  process.on('disconnect', () => process.exit())
  process.send?.('ready')
}

function part(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}

function made(customer: number, now: number): { delivery: NewDelivery; item: NewItem } {
  const id = ulid()
  const body = Buffer.from(deliveryBody(id, customer))
  return {
    delivery: {
      subscription: 'default',
      deliveryId: id,
      event: 'message.received',
      timestamp: Math.floor(now / 1_000),
      digest: createHash('sha256').update(body).digest(),
      body,
      receivedAt: now,
      clockOffset: 0,
    },
    item: {
      idx: 0,
      kind: 'message',
      number: 'default',
      customer: String(customer),
      lane: `default/${customer}`,
      at: now,
      facts: FACTS,
      identity: { key: `msg-${id}`, claimant: `${customer}|${now}` },
      cause: { identity: `msg-${id}`, signed: id },
      state: 'stored',
    },
  }
}

await run(JSON.parse(process.argv[2] as string) as Load)
