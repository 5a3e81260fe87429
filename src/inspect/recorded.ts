import type { Store } from '../stores/port/index.ts'

export interface RecordedQuery {
  readonly event?: string
  /** Wall time. */
  readonly receivedFrom?: number
  /** Only deliveries after this number. */
  readonly after?: number
}

/** How many deliveries are in memory at a time. */
const AT_ONCE = 100

/** Yields the recorded deliveries that match, in the order of their arrival. */
export async function* recordedIn(reader: Pick<Store, 'recordedDeliveries'>, query: RecordedQuery) {
  let { after = 0 } = query
  for (;;) {
    const page = await reader.recordedDeliveries({ ...query, after, limit: AT_ONCE })
    yield* page
    const last = page.at(-1)
    if (!last || page.length < AT_ONCE) return
    after = last.seq
  }
}
