import type { DeliveryRow, InboxAdmin } from '../../stores/port/index.ts'

type Finding = Pick<InboxAdmin, 'deliveries' | 'deliveriesWithId'>

/** A delivery's place in the inbox; an id has letters in it, or more digits. */
const SEQ = /^\d{1,15}$/

/**
 * The deliveries that are meant by a place in the inbox, or by the id that they came under: several where others came
 * under the same id with other bytes, or to another subscription.
 *
 * @throws Error where there is none.
 */
export async function find(inbox: Finding, idOrSeq: string): Promise<readonly DeliveryRow[]> {
  const found = SEQ.test(idOrSeq) ? await inbox.deliveries([Number(idOrSeq)]) : await inbox.deliveriesWithId(idOrSeq)
  if (found.length > 0) return found
  // Ids are kept in capitals where they are ULIDs.
  const inCapitals = await inbox.deliveriesWithId(idOrSeq.toUpperCase())
  if (inCapitals.length > 0) return inCapitals
  throw new Error(
    `there is no delivery ${JSON.stringify(idOrSeq)}: \`switchhook inbox ls\` shows their numbers and ids`,
  )
}
