import type { SendRow, SendSettlement } from '../stores/port/index.ts'
import { sendChange } from '../stores/rules/send-settlement.ts'

/** The row of a send as `settleSend` leaves it, and as people see it then. */
export function settledRow(send: SendRow, settlement: SendSettlement, now: number): SendRow {
  const change = sendChange(settlement, now)
  switch (change.to) {
    case 'accepted': {
      const { messageId, upstreamId, possiblyTwice, settledAt } = change
      const ended = { state: 'accepted', code: undefined, reason: undefined } as const
      return { ...send, ...ended, messageId, upstreamId, possiblyTwice, settledAt }
    }
    case 'ended': {
      const { state, code, reason, settledAt, marksRepeated } = change
      const possiblyTwice = send.possiblyTwice || (marksRepeated && send.attempts > 1)
      return { ...send, state, code, reason, settledAt, possiblyTwice }
    }
    case 'waiting': {
      const { state, code, reason, nextAt, takesBackAttempt } = change
      const attempts = send.attempts - (takesBackAttempt ? 1 : 0)
      const firstAttemptAt = attempts === 0 ? undefined : send.firstAttemptAt
      // A stopped number shows its own code and reason on each send that it holds.
      const shown = settlement.as === 'held' ? { ...settlement, state: 'held' as const } : { state, code, reason }
      return { ...send, state: shown.state, code: shown.code, reason: shown.reason, nextAt, attempts, firstAttemptAt }
    }
    case 'fallback':
      return { ...send, ...ANEW, via: 'template', nextAt: change.nextAt }
    case 'unchanged':
      return send
  }
}

const ANEW = { state: 'ready', attempts: 0, firstAttemptAt: undefined, attemptingSince: undefined } as const
