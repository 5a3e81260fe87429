import { maskPhone } from '../../../base/mask.ts'
import type { PageDeps } from '../../../admin/page-host.ts'
import type { Chat, Line } from './desk-api.ts'
import type { CustomerOfNumber } from '../../../store/database/customer-tables.ts'

/** How long a visit lasts after its last read. */
const VISIT_MS = 5 * 60_000
const LISTS_MS = 60 * 60_000
/** The most customers that one visit to the lists keeps in memory to count them, while a page is open for hours. */
const MOST_COUNTED = 1_000

interface Visit {
  readonly act: Promise<number>
  readonly read: Set<string>
  from: string
  to: string
  until: number
}

export type Visits = ReturnType<typeof createVisits>

const nameOf = (who: string, key: string) => JSON.stringify([who, key])

function widen(visit: Visit, lines: readonly Pick<Line, 'id' | 'at'>[]): void {
  const [{ at: from } = { at: '' }] = lines
  const to = lines.at(-1)?.at ?? ''
  for (const { id } of lines) visit.read.add(id)
  if (from !== '' && (visit.from === '' || from < visit.from)) visit.from = from
  if (to > visit.to) visit.to = to
}

/** Records who read which messages. A visit to a customer is one act, with the count and the times of the messages. */
export function createVisits(now: () => number) {
  const visits = new Map<string, Visit>()

  async function read(
    who: string,
    key: string,
    lines: readonly Pick<Line, 'id' | 'at'>[],
    o: { readonly what: (visit: Visit) => string; readonly number: string | undefined; readonly lastsMs: number },
    { desk: { store, acted } }: PageDeps,
  ): Promise<void> {
    for (const [old, { until }] of visits) if (until <= now()) visits.delete(old)
    const name = nameOf(who, key)
    const known = visits.get(name)
    const news = lines.filter(({ id }) => !known?.read.has(id))
    if (known) known.until = now() + o.lastsMs
    if (known && news.length === 0) return
    const until = now() + o.lastsMs
    const visit: Visit = known ?? { act: Promise.resolve(0), read: new Set(), from: '', to: '', until }
    widen(visit, lines)
    const what = o.what(visit)
    // The visit is recorded before its data is shown.
    const made = known ?? {
      ...visit,
      act: store.recordAct({ at: store.clock(), who, act: 'read', what, number: o.number }),
    }
    visits.set(name, made)
    const seq = await made.act.catch((error: unknown) => {
      visits.delete(name)
      throw error
    })
    await store.endAct(seq, made.read.size, what)
    if (!known) acted({ who, act: 'read', what, count: made.read.size })
  }

  return {
    /** Records that these lines are read, except lines without text and media. Call it before they are shown. */
    chat(who: string, customer: CustomerOfNumber, { lines }: Pick<Chat, 'lines'>, deps: PageDeps): Promise<void> {
      const { number } = customer
      const name = `customer ${maskPhone(customer.customer)} on ${number}`
      const what = ({ from, to }: Visit) => (from === '' ? name : `${name}, messages from ${from} to ${to}`)
      const words = lines.filter(({ text, media }) => text !== undefined || media !== undefined)
      return read(who, `${number}/${customer.customer}`, words, { what, number, lastsMs: VISIT_MS }, deps)
    },
    list(
      who: string,
      rows: readonly { readonly id: string }[],
      number: string | undefined,
      deps: PageDeps,
    ): Promise<void> {
      const isFull = (visits.get(nameOf(who, 'lists'))?.read.size ?? 0) >= MOST_COUNTED
      const lines = isFull ? [] : rows.map(({ id }) => ({ id, at: '' }))
      return read(who, 'lists', lines, { what: () => 'the lists of the desk', number, lastsMs: LISTS_MS }, deps)
    },
    end(who: string, { number, customer }: CustomerOfNumber): void {
      visits.delete(nameOf(who, `${number}/${customer}`))
    },
  }
}
