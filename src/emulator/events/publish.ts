import { type EventName, EVENTS } from '../../service/delivery.ts'
import { type ConnectedNumber, numberWithId } from '../model/account.ts'
import { iso } from '../model/emulated-clock.ts'
import type { Model, ServiceChange } from '../model/model.ts'
import { itemOf, statusInCase } from '../model/progress.ts'
import { type About, type DeclaredFacts, EVENTS_KEPT_MS, type PublishedEvent, type ServiceEvent } from './event.ts'
import type { Payloads } from './payloads.ts'

interface PublisherDeps {
  readonly model: Model
  readonly payloads: Payloads
  readonly deliver: (event: ServiceEvent) => string[]
  readonly published: (event: PublishedEvent) => void
}

interface Subject {
  readonly name: EventName
  readonly customer: string | undefined
  /** Undefined if the account no longer has the number: then nothing is published. */
  readonly number: ConnectedNumber | undefined
  readonly message?: string | undefined
}

/** An event in the dashboard's log. It has no delivery if there was no subscription. */
export interface LoggedEvent extends PublishedEvent {
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  readonly body: Buffer
}

type ChangeOf<Kind extends ServiceChange['kind']> = Extract<ServiceChange, { kind: Kind }>

export function createPublisher({ model, payloads, deliver, published }: PublisherDeps) {
  const { account, assumptions, clock, ids } = model
  const log: LoggedEvent[] = []

  const handOut = (event: ServiceEvent): string[] => {
    const deliveryIds = deliver(event)
    const { id, name, customer = null, body } = event
    const shown = { id, event: name, customer, deliveryIds }
    log.push({ ...shown, at: clock.now(), body })
    published(shown)
    return deliveryIds
  }

  /** Publishes nothing for a number with a callback override (DEL-10), or if `declaredEvents` turns the event off. */
  const publish = ({ name, customer, number, message }: Subject, payload: (about: About) => object) => {
    if (!number || number.callbackOverride) return []
    if (EVENTS[name] === 'declared' && assumptions.declaredEvents === 'unpublished') return []
    const id = ids.event()
    const body = Buffer.from(JSON.stringify(payload({ eventId: id, number, now: clock.now() })))
    return handOut({ id, name, customer, message, body })
  }

  const publishDeclared = (subject: Subject, facts: DeclaredFacts) =>
    publish(subject, (about) => payloads.declared(subject.name, facts, about))

  const subjectOf = ({ phone, sent }: ChangeOf<'sent' | 'status'>) => ({
    customer: phone.customer,
    number: numberWithId(account, sent.number),
    message: sent.message.id,
  })

  const following: { readonly [Kind in ServiceChange['kind']]: (change: ChangeOf<Kind>) => string[] } = {
    received: ({ number, message }) =>
      publish({ name: 'message.received', customer: message.customer, number, message: message.id }, (about) =>
        payloads.received(message, about),
      ),

    sent: (change) => publishDeclared({ name: 'message.sent', ...subjectOf(change) }, factsOfSent(change)),

    status: (change) =>
      publish({ name: 'message.status', ...subjectOf(change) }, (about) =>
        payloads.status(factsOfStatus(change, model), about),
      ),

    template_reviewed: (change) => {
      const number = numberWithId(account, change.template.number)
      return publishDeclared({ name: 'template.status', customer: undefined, number }, factsOfReview(change))
    },
  }

  return {
    /** The events of the last 30 days, oldest first (DEL-13). */
    events: (): readonly LoggedEvent[] => log.filter(({ at }) => clock.now() - at <= EVENTS_KEPT_MS),
    handOut,
    follow: (change: ServiceChange): string[] => following[change.kind](change as never),
  }
}

function factsOfSent({ phone, sent }: ChangeOf<'sent'>): DeclaredFacts {
  const { id, delivered_at: _d, read_at: _r, played_at: _p, failed_at: _f, ...record } = sent.message
  const template = itemOf(phone, sent)?.template
  const members = Object.entries(record).filter(([, value]) => value !== null && value !== undefined)
  return {
    message_id: id,
    to: phone.customer,
    ...Object.fromEntries(members),
    ...(template && { template_language: template.language, template_components: template.components }),
  }
}

function factsOfStatus({ phone, sent: { message }, status, failureReason }: ChangeOf<'status'>, model: Model) {
  const createdAt = Date.parse(message.created_at)
  return {
    messageId: message.id,
    upstreamId: message.wa_message_id ?? '',
    customer: phone.customer,
    messageType: message.message_type,
    status: statusInCase(model, status),
    // The status `sent` has the same time as the answer to the send.
    at: status === 'sent' ? createdAt : model.clock.now(),
    createdAt,
    ...(failureReason !== undefined && { failureReason }),
  }
}

function factsOfReview({ template, previousStatus }: ChangeOf<'template_reviewed'>): DeclaredFacts {
  return {
    template_id: template.id,
    template_name: template.name,
    template_language: template.language,
    category: template.category,
    status: template.status,
    previous_status: previousStatus,
    occurred_at: iso(template.statusChangedAt),
  }
}
