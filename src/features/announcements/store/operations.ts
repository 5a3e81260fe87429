import { inPortions, type Ways } from '../../../store/database/engine.ts'
import { endRecipients, stopAnnouncement, claimRecipients, type RecipientClaim } from './announcement-work.ts'
import { announcement } from './announcement-rows.ts'
import {
  addRecipients,
  changeAnnouncement,
  countAnnouncements,
  keepZones,
  listAnnouncements,
  openAnnouncement,
  pausedByError,
  releaseAnnouncements,
  startAnnouncement,
} from './announcements.ts'
import { countReached, listRecipients, reasonsOf, type Retry, retryRecipients } from './recipients.ts'

export const operations = { reading, others }

/** Operations that also exist if a command has opened the database only for reading. */
function reading({ reads }: Ways) {
  return {
    announcement: reads(announcement),
    listAnnouncements: reads(listAnnouncements),
    listRecipients: reads(listRecipients),
    countReached: reads(countReached),
  }
}

function others({ reads, writes, transacts, write, portion }: Ways) {
  return {
    countAnnouncements: reads(countAnnouncements),
    pausedByError: reads(pausedByError),
    reasonsOf: reads(reasonsOf),
    openAnnouncement: writes(openAnnouncement),
    keepZones: writes(keepZones),
    addRecipients: (...given: Parameters<typeof addRecipients>) => portion(() => addRecipients(...given)),
    startAnnouncement: transacts(startAnnouncement),
    changeAnnouncement: transacts(changeAnnouncement),
    releaseAnnouncements: transacts(releaseAnnouncements),
    claimRecipients: (claim: RecipientClaim) => write((tx) => claimRecipients(tx, claim), { readsFirst: true }),
    endRecipients: transacts(endRecipients),
    stopAnnouncement: transacts(stopAnnouncement),
    async retryRecipients(id: number, retry: Retry): Promise<number> {
      let count = 0
      const portions = inPortions('', (from) => portion((tx) => retryRecipients(tx, id, retry, from)))
      for await (const done of portions) count += done.count
      return count
    },
  }
}
