import { beginSend } from '../../operations/sends/claim-sends.ts'
import type { Operations } from '../../operations/store.ts'
import { lookForSends } from './claim-sends.ts'
import type { Driving } from './driven.ts'
import { createHot, type Grouping } from './hot.ts'
import { letSendGo } from '../../operations/turns/item-turns.ts'
import { openSends } from './open-send.ts'
import { settleSends } from './settle-send.ts'

type Sends = Pick<Operations, 'openSend' | 'claimSends' | 'beginSend' | 'settleSend'>

/** Operations that each send has. */
export function hotSends(
  operations: Operations,
  grouping: Grouping,
  { drive }: Driving,
): { readonly operations: Sends; close(): Promise<void> } {
  const opening = createHot(grouping, openSends)
  const looking = createHot(grouping, lookForSends)
  const settling = createHot(grouping, settleSends)
  return {
    operations: {
      openSend: (send, o) =>
        opening.ask({ send, fence: o?.fence, begin: o?.begin }, () => operations.openSend(send, o), {
          unwanted: (late) => late?.begun && letSendGo(operations, late.begun, o?.begin?.now ?? send.createdAt),
        }),
      claimSends: (claim) => looking.ask(claim, () => operations.claimSends(claim)),
      beginSend(...asked) {
        const [{ lane }] = asked
        return drive({ lanes: [lane], steps: () => beginSend(...asked) }, () => operations.beginSend(...asked))
      },
      settleSend(...asked) {
        const [fence, send, settlement, next, throttle] = asked
        const alone = () => operations.settleSend(...asked)
        // A send that was accepted is no failure, so nobody need know whether somebody waits for it.
        if (settlement.as !== 'accepted' || throttle !== undefined) return alone()
        return settling.ask({ fence, send, settlement, next }, alone, { kept: true })
      },
    },
    async close() {
      await Promise.all([opening, looking, settling].map((one) => one.close()))
    },
  }
}
