import { itemId, seqOfItem } from '../stores/operations/item-ids.ts'
import type { Ingested, NewSend, Store } from '../stores/port/index.ts'
import type { Recorded } from './recording.ts'
import { TAP_KEY } from './tap-key.ts'

export interface PlayedStoreDeps {
  /** The recorded delivery of this id; undefined for the world's own. */
  deliveryOf(id: string | undefined): Recorded | undefined
  /** A customer has written: the service must know it before a handler replies. */
  hasWritten(number: string, customer: string): void
  /** A send was recorded, under its key or under that of its fallback. */
  recorded(send: NewSend): void
}

/** A store in which `once` gives what it gave when the deliveries were recorded. */
export function playedStore(store: Store, deps: PlayedStoreDeps): Store {
  const inputs = new Map<number, Recorded>()
  const tellService = ({ items }: Ingested) => {
    for (const { kind, number, customer } of items)
      if (kind === 'message' && customer !== undefined) deps.hasWritten(number, customer)
  }

  return {
    ...store,
    async accept(delivery, o) {
      if (o?.ingested) tellService(o.ingested)
      const input = deps.deliveryOf(delivery.deliveryId)
      const accepted = await store.accept(delivery, o)
      if (input?.once && accepted.seq !== undefined) inputs.set(accepted.seq, input)
      return accepted
    },
    ingest(seq, ingested, now) {
      tellService(ingested)
      return store.ingest(seq, ingested, now)
    },
    async onceResult(item, name) {
      const seq = seqOfItem(item)
      const input = inputs.get(seq)
      return (await store.onceResult(item, name)) ?? (input && resultThen(input, item - itemId(seq, 0), name))
    },
    secret: async (name) => (name === 'taps' ? TAP_KEY : store.secret(name)),
    openSend(send, o) {
      deps.recorded(send)
      return store.openSend(send, o)
    },
    openCode(code, keys, lease) {
      for (const key of keys) deps.recorded({ ...code, key })
      return store.openCode(code, keys, lease)
    },
  }
}

/**
 * The result that was stored under this name. The name begins with the route: if another route takes the delivery now, the
 * only effect of the same own name stands for it, since it has happened.
 */
function resultThen({ once = [] }: Recorded, idx: number, name: string): string | undefined {
  const own = (full: string) => full.slice(full.lastIndexOf('/') + 1)
  const ofItem = once.filter((one) => one.idx === idx)
  const same = ofItem.find((one) => one.name === name)
  if (same) return same.result
  const alike = ofItem.filter((one) => own(one.name) === own(name))
  return alike.length === 1 ? alike[0]?.result : undefined
}
