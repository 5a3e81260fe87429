import { iso } from '../../inspect/iso.ts'
import { reportOf } from '../../inspect/payload-report.ts'
import type { ActRecord, Page } from '../api.ts'
import { limitIn, numberIn, type ViewDeps } from '../view.ts'
import { listConversations, listTimers, showCustomer } from './customers.ts'
import { listDeliveries, showDelivery } from './deliveries.ts'
import { lookAt } from './health.ts'
import { listSends, showSend } from './sends.ts'

type List = (query: URLSearchParams, deps: ViewDeps) => Promise<unknown>
type Show = (id: string, deps: ViewDeps) => Promise<unknown>

/** Views without an id in their path, by name. */
export const LISTS: Readonly<Record<string, List>> = {
  health: async (_query, deps) => (await lookAt(deps)).health,
  deliveries: listDeliveries,
  sends: listSends,
  conversations: listConversations,
  timers: listTimers,
  payloads: async (_query, { desk }) => ({ events: reportOf(await desk.store.seenPayloads()) }),
  acts: listActs,
}

/** Views of one thing, by name. */
export const SHOWS: Readonly<Record<string, Show>> = {
  deliveries: showDelivery,
  sends: showSend,
  customers: showCustomer,
}

async function listActs(query: URLSearchParams, { desk }: ViewDeps): Promise<Page<ActRecord>> {
  const after = numberIn(query, 'after')
  const { acts, next } = await desk.store.listActs({ limit: limitIn(query), ...(after !== undefined && { after }) })
  return {
    rows: acts.map(({ act, at, ...row }) => ({ ...row, act: act as ActRecord['act'], at: iso(at) })),
    ...(next !== undefined && { next: String(next) }),
  }
}
