import type { Operations } from '../../operations/store.ts'
import { beginSends } from './begin-send.ts'
import { lookForSends } from './claim-sends.ts'
import type { OpenedSend } from '../../port/index.ts'
import { createHot, type Grouping, ODD } from './hot.ts'
import { letSendGo } from '../../operations/turns/let-go.ts'
import { openSends } from './open-send.ts'
import { settleSends } from './settle-send.ts'

type Sends = Pick<Operations, 'openSend' | 'claimSends' | 'beginSend' | 'settleSend'>

/** Operations that each send has. */
export function hotSends(
  operations: Operations,
  grouping: Grouping,
): { readonly operations: Sends; close(): Promise<void> } {
  const opening = createHot(grouping, openSends)
  const looking = createHot(grouping, lookForSends)
  const beginning = createHot(grouping, beginSends)
  const settling = createHot(grouping, settleSends)
  return {
    operations: {
      async openSend(send, o) {
        const unwanted = (late: OpenedSend | undefined | typeof ODD) => {
          if (late !== ODD && late?.begun) letSendGo(operations, late.begun, o?.begin?.now ?? send.createdAt)
        }
        const opened = await opening.ask({ send, fence: o?.fence, begin: o?.begin }, { unwanted })
        return opened === ODD ? operations.openSend(send, o) : opened
      },
      async claimSends(claim) {
        const found = await looking.ask(claim)
        return found === ODD ? operations.claimSends(claim) : found
      },
      async beginSend(fence, send, via, now, bytes) {
        const begun = await beginning.ask({ fence, send, via, now, bytes })
        return begun === ODD ? operations.beginSend(fence, send, via, now, bytes) : begun
      },
      async settleSend(fence, send, settlement, next, throttle, isAwaited) {
        // A send that was accepted is no failure, so nobody need know whether somebody waits for it.
        const isOrdinary = settlement.as === 'accepted' && throttle === undefined
        const settled = isOrdinary ? await settling.ask({ fence, send, settlement, next }, { kept: true }) : ODD
        return settled === ODD ? operations.settleSend(fence, send, settlement, next, throttle, isAwaited) : settled
      },
    },
    async close() {
      await Promise.all([opening, looking, beginning, settling].map((one) => one.close()))
    },
  }
}
