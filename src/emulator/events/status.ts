import { type About, iso } from './event.ts'

/** A sent message has come a step further. */
export interface StatusChange {
  readonly messageId: string
  readonly upstreamId: string
  readonly customer: string
  readonly messageType: string
  /** In the case in which the service writes it here. */
  readonly status: string
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  readonly createdAt: number
  /** Of a failed message, in words. */
  readonly failureReason?: string
}

type StatusShape = (change: StatusChange, about: About) => object

/** As with received messages, none of these is the right one; in all of them the message's id is the service's. */
export const STATUS_SHAPES: readonly StatusShape[] = [flat, messageInData, statusesList, eventWithData, payloadOnly]

const EVENT = 'message.status'

/** No envelope, the time in Unix seconds as a string. */
function flat(change: StatusChange): object {
  return {
    message_id: change.messageId,
    wa_message_id: change.upstreamId,
    to: change.customer,
    status: change.status,
    ...failure(change),
    timestamp: String(Math.floor(change.at / 1_000)),
  }
}

/** The message in `data`, the time only in the member of the status. */
function messageInData(change: StatusChange): object {
  return {
    event: EVENT,
    data: {
      message: {
        id: change.messageId,
        direction: 'OUTBOUND',
        message_type: change.messageType,
        status: change.status,
        ...failure(change),
        [timeMember(change)]: iso(change.at),
        created_at: iso(change.createdAt),
      },
      recipient: change.customer,
    },
  }
}

/** Close to the upstream platform's own list. */
function statusesList(change: StatusChange, { number }: About): object {
  return {
    type: EVENT,
    data: {
      phone_number_id: number.id,
      statuses: [
        {
          message_id: change.messageId,
          id: change.upstreamId,
          recipient_id: change.customer,
          status: change.status,
          ...failure(change),
          timestamp: String(Math.floor(change.at / 1_000)),
        },
      ],
    },
  }
}

/** `{event, data}` in the service's own names. */
function eventWithData(change: StatusChange, { eventId, now }: About): object {
  return {
    id: eventId,
    event: EVENT,
    created_at: iso(now),
    data: {
      message_id: change.messageId,
      wa_message_id: change.upstreamId,
      recipient: change.customer,
      status: change.status,
      ...failure(change),
      [timeMember(change)]: iso(change.at),
    },
  }
}

/** `{payload}` and no event name in the body. */
function payloadOnly(change: StatusChange): object {
  return {
    payload: {
      id: change.messageId,
      wa_message_id: change.upstreamId,
      to: change.customer,
      status: change.status,
      ...failure(change),
      [timeMember(change)]: iso(change.at),
    },
  }
}

function failure({ failureReason }: StatusChange): { failure_reason?: string } {
  return failureReason === undefined ? {} : { failure_reason: failureReason }
}

function timeMember({ status }: StatusChange): string {
  return `${status.toLowerCase()}_at`
}
