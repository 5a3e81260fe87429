import { itemId, seqOfItem } from '../stores/operations/items/item-ids.ts'
import type { NewConversation, OnceResult } from '../stores/port/index.ts'
import type { RecordedConversation, Recorded } from './recording.ts'

/** The results of `once` that were stored when the deliveries were recorded. */
export interface RecordedResults {
  /** The delivery with this seq is a recorded one. */
  came(seq: number, delivery: Recorded): void
  ofItem(item: number, name: string): string | undefined
  ofConversation(item: number, conversation: NewConversation): readonly OnceResult[]
}

export function createRecordedResults(conversations: readonly RecordedConversation[]): RecordedResults {
  const recorded = new Map<number, Recorded>()
  const byId = new Map(conversations.map((one) => [one.id, one]))
  /** By the id of each conversation of this run the recorded one that it is. */
  const found = new Map<string, RecordedConversation | undefined>()

  /**
   * The same conversation or, if another route enters it now, the only one of its name that the delivery entered when
   * it was recorded.
   */
  function recordedConversation(item: number, { id, name }: NewConversation): RecordedConversation | undefined {
    const { entered = [] } = recorded.get(seqOfItem(item)) ?? {}
    const alike = entered.flatMap((one) => byId.get(one) ?? []).filter((one) => one.name === name)
    return byId.get(id) ?? (alike.length === 1 ? alike[0] : undefined)
  }

  return {
    came: (seq, delivery) => void recorded.set(seq, delivery),
    ofItem(item, name) {
      const seq = seqOfItem(item)
      return resultOf(recorded.get(seq), item - itemId(seq, 0), name)
    },
    ofConversation(item, conversation) {
      // Later items lead it on: the one that entered it is the first to ask.
      if (!found.has(conversation.id)) found.set(conversation.id, recordedConversation(item, conversation))
      return found.get(conversation.id)?.once ?? []
    },
  }
}

/**
 * The result that was stored under this name. The name begins with the route: if another route takes the delivery now, the
 * only effect of the same own name stands for it, since it has happened.
 */
function resultOf({ once = [] }: Partial<Recorded> = {}, idx: number, name: string): string | undefined {
  const own = (full: string) => full.slice(full.lastIndexOf('/') + 1)
  const ofItem = once.filter((one) => one.idx === idx)
  const same = ofItem.find((one) => one.name === name)
  if (same) return same.result
  const alike = ofItem.filter((one) => own(one.name) === own(name))
  return alike.length === 1 ? alike[0]?.result : undefined
}
