import type { Fence } from '../../../store/work/lanes.ts'
import { concerning, type Ways } from '../../../store/database/engine.ts'
import { endConversation, journalOf, keepStep, listConversations, type NewEntry, recordEntry } from './conversations.ts'

export const operations = { reading, others }

/** Operations that also exist if a command has opened the database only for reading. */
function reading({ reads }: Ways) {
  return { listConversations: reads(listConversations) }
}

function others({ persist, reads, write, writes }: Ways) {
  return {
    keepStep: (...given: Parameters<typeof keepStep>) =>
      persist(() => keepStep(...given), concerning(given[2], given[0].lane)),
    journalOf: reads(journalOf),
    endConversation: writes(endConversation),
    recordEntry: (entry: NewEntry, now: number, fence?: Fence) =>
      write((tx) => recordEntry(tx, entry, now, fence), { ...concerning(entry, fence?.lane), ids: 1 }),
  }
}
