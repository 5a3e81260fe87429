import { EVENTS, type EventName } from '../../contract/index.ts'
import type { Subscription } from '../deliver/subscriptions.ts'
import { type Account, type ConnectedNumber, firstNumber, numberWithId } from '../model/account.ts'
import type { Phone, SentMessage } from '../model/phones.ts'
import type { Template } from '../model/templates.ts'
import type { State } from '../state.ts'
import { DECLARED_SHAPES, type Told } from './declared.ts'
import { type About, type ServiceEvent, iso, shapeFor } from './event.ts'

interface Subject {
  readonly name: EventName
  /** Whom it is about; undefined for events of the account. */
  readonly customer: string | undefined
  readonly number: ConnectedNumber
  /** The id of the message that it is about, where it is about one. */
  readonly message?: string | undefined
}

/**
 * Tells every subscription what happened; answers the ids of the deliveries. Under the callback override, which is
 * exclusive with subscriptions, nobody is told (DEL-10); and by a switch nobody is told of the declared events.
 */
export function publish(
  state: State,
  { name, customer, number, message }: Subject,
  payload: (about: About) => object,
): string[] {
  if (number.callbackOverride) return []
  if (EVENTS[name] === 'declared' && state.assumptions.declaredEvents === 'unpublished') return []
  const id = state.ids.event()
  const told = payload({ eventId: id, number, now: state.clock.now() })
  return handOut(state, { id, name, customer, message, body: Buffer.from(JSON.stringify(told)) })
}

/** One of the declared events, in the shape whose turn it is. */
export function publishDeclared(state: State, subject: Subject, told: Told): string[] {
  return publish(state, subject, (about) => declaredPayload(state, subject.name, told, about))
}

export function declaredPayload(state: State, name: EventName, told: Told, about: About): object {
  return shapeFor(DECLARED_SHAPES, state.turn.declared++, state.assumptions.payloadShape)(name, told, about)
}

/** To all subscriptions, or to one of them, and into the log. */
export function handOut(state: State, event: ServiceEvent, only?: Subscription): string[] {
  const deliveryIds = state.deliverer.deliver(event, only)
  state.events.add({ ...event, at: state.clock.now(), deliveryIds })
  const { id, name, customer = null } = event
  state.tell('event', { event: { id, event: name, customer, deliveryIds } })
  return deliveryIds
}

/** `message.sent`: the number sends a message, from any source. A one-time code is withheld (OTP-06). */
export function tellSent(state: State, phone: Phone, { message, number: id }: SentMessage): void {
  const number = numberWithId(state.account, id)
  if (number === undefined) return
  const { id: messageId, delivered_at: _d, read_at: _r, played_at: _p, failed_at: _f, ...record } = message
  const template = phone.thread.findLast((item) => item.id === messageId)?.template
  publishDeclared(
    state,
    { name: 'message.sent', customer: phone.customer, number, message: messageId },
    {
      message_id: messageId,
      to: phone.customer,
      ...Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined)),
      ...(template && { template_language: template.language, template_components: template.components }),
    },
  )
}

/** `template.status`: a template's review state changed. Its `id` is the one that the list shows. */
export function tellTemplateStatus(state: State, template: Template, previousStatus: string): void {
  const number = numberWithId(state.account, template.number)
  if (number === undefined || template.status === previousStatus) return
  publishDeclared(
    state,
    { name: 'template.status', customer: undefined, number },
    {
      template_id: template.id,
      template_name: template.name,
      template_language: template.language,
      category: template.category,
      status: template.status,
      previous_status: previousStatus,
      occurred_at: iso(template.statusChangedAt),
    },
  )
}

/** `account.error`: something has become wrong with the number's account since `before`. */
export function tellTroubles(state: State, before: Pick<Account, 'numbers' | 'plan' | 'suspended'>): void {
  const { account } = state
  if (account.suspended && !before.suspended) tell('account_suspended', 'The workspace was suspended.')
  if (!account.plan.api && before.plan.api) tell('plan_feature_locked', 'The plan no longer grants API access.')
  for (const number of account.numbers) {
    const known = before.numbers.find(({ id }) => id === number.id)
    if (known?.connected && !number.connected) tell('number_disconnected', 'The number was disconnected.', number)
  }

  function tell(code: string, message: string, number = firstNumber(account)): void {
    const occurredAt = iso(state.clock.now())
    publishDeclared(
      state,
      { name: 'account.error', customer: undefined, number },
      { error: { code, message }, occurred_at: occurredAt },
    )
  }
}
