import { iso } from '../model/emulated-clock.ts'
import type { About } from './event.ts'

export interface StatusFacts {
  readonly messageId: string
  readonly upstreamId: string
  readonly customer: string
  readonly messageType: string
  /** In the case that the service uses here. */
  readonly status: string
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  readonly createdAt: number
  /** Why the message failed, as a sentence. */
  readonly failureReason?: string
}

type StatusShape = (facts: StatusFacts, about: About) => object

/**
 * The payload shapes of `message.status`. As with received messages, no shape is the right one. In all of them the
 * message's id is the service's.
 */
export const STATUS_SHAPES: readonly StatusShape[] = [flat, statusesList, eventWithData]

const EVENT = 'message.status'

/** No envelope, the time in Unix seconds as a string. */
function flat(facts: StatusFacts): object {
  return {
    message_id: facts.messageId,
    wa_message_id: facts.upstreamId,
    to: facts.customer,
    status: facts.status,
    ...failure(facts),
    timestamp: String(Math.floor(facts.at / 1_000)),
  }
}

function statusesList(facts: StatusFacts, { number }: About): object {
  return {
    type: EVENT,
    data: {
      phone_number_id: number.id,
      statuses: [
        {
          message_id: facts.messageId,
          id: facts.upstreamId,
          recipient_id: facts.customer,
          status: facts.status,
          ...failure(facts),
          timestamp: String(Math.floor(facts.at / 1_000)),
        },
      ],
    },
  }
}

function eventWithData(facts: StatusFacts, { eventId, now }: About): object {
  return {
    id: eventId,
    event: EVENT,
    created_at: iso(now),
    data: {
      message_id: facts.messageId,
      wa_message_id: facts.upstreamId,
      recipient: facts.customer,
      status: facts.status,
      ...failure(facts),
      [timeMember(facts)]: iso(facts.at),
    },
  }
}

function failure({ failureReason }: StatusFacts): { failure_reason?: string } {
  return failureReason === undefined ? {} : { failure_reason: failureReason }
}

function timeMember({ status }: StatusFacts): string {
  return `${status.toLowerCase()}_at`
}
