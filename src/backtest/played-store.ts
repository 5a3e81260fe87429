import type { Ingested, NewSend, Store } from '../stores/port/index.ts'
import type { RecordedConversation, Recorded } from './recording.ts'
import { createRecordedResults } from './recorded-results.ts'
import { TAP_KEY } from './tap-key.ts'

export interface PlayedStoreDeps {
  readonly conversations: readonly RecordedConversation[]
  /** The recorded delivery of this id; undefined for the world's own. */
  deliveryOf(id: string | undefined): Recorded | undefined
  /** A customer has written: the service must know it before a handler replies. */
  hasWritten(number: string, customer: string): void
  /** A send was recorded, under its key or under that of its fallback. */
  recorded(send: NewSend): void
}

/** A store in which `once` gives what it gave when the deliveries were recorded. */
export function playedStore(store: Store, deps: PlayedStoreDeps): Store {
  const results = createRecordedResults(deps.conversations)
  const tellService = ({ items }: Ingested) => {
    for (const { kind, number, customer } of items)
      if (kind === 'message' && customer !== undefined) deps.hasWritten(number, customer)
  }

  return {
    ...store,
    async accept(delivery, o) {
      if (o?.ingested) tellService(o.ingested)
      const recorded = deps.deliveryOf(delivery.deliveryId)
      const accepted = await store.accept(delivery, o)
      if (recorded && accepted.seq !== undefined) results.came(accepted.seq, recorded)
      return accepted
    },
    ingest(seq, ingested, now) {
      tellService(ingested)
      return store.ingest(seq, ingested, now)
    },
    onceResult: async (item, name) => (await store.onceResult(item, name)) ?? results.ofItem(item, name),
    recordedResults: async (item, conversation) => results.ofConversation(item, conversation),
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
