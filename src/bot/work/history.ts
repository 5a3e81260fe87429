import { optionsInvalid } from '../../base/errors.ts'
import { bodyText } from '../../service/body-text.ts'
import { isSignal } from '../../service/message-kinds.ts'
import { type SendRequest } from '../../service/send-request.ts'
import { writtenIn } from '../inbox/payload/facts.ts'
import type { KeptFacts } from '../inbox/read-delivery.ts'
import type { HistoryEntry } from '../routes/context.ts'
import { APP_CAUSE, isByPerson } from '../../store/outbox/send-rules.ts'
import type { ResultOf } from '../../store/store.ts'
import { nameOfSlot, type AttemptDeps } from './running-attempt.ts'
import type { CustomerOfNumber } from '../../store/database/customer-tables.ts'

const USUALLY = 20
const AT_MOST = 200

/** @throws SwitchhookError `options_invalid` */
export async function historyOf(
  who: CustomerOfNumber,
  { last = USUALLY }: { readonly last?: number },
  { store }: Pick<AttemptDeps, 'store'>,
): Promise<readonly HistoryEntry[]> {
  if (!Number.isInteger(last) || last < 1 || last > AT_MOST)
    throw optionsInvalid(`ctx.history(): expected a whole number from 1 to ${AT_MOST}`)
  return inOrder(await store.history(who, last)).slice(-last)
}

const LOOKS_FOR_NAME = 20

/** Returns the name in the customer's profile, if one of their latest messages contains it. */
export async function nameOf(
  who: CustomerOfNumber,
  { store }: Pick<AttemptDeps, 'store'>,
): Promise<string | undefined> {
  const { received } = await store.history(who, LOOKS_FOR_NAME)
  const names = received.map(({ facts }) => facts && (JSON.parse(facts) as KeptFacts).values.name)
  return names.find((name) => name !== undefined)
}

type History = ResultOf<'history'>

/** Orders messages by receipt and sends by acceptance, both in wall time. No reply comes before its message. */
function inOrder({ received, sent }: History): HistoryEntry[] {
  const said: HistoryEntry[] = []
  const sends = sent.toReversed()
  const unsaid = new Set(received.map(({ cause }) => cause))
  const lastOf = new Map(received.toReversed().map((message) => [message.cause, message]))
  let offset = received.at(-1)?.clockOffset ?? 0
  for (const message of received.toReversed()) {
    for (
      let send = sends[0];
      send && send.acceptedAt <= message.receivedAt && !unsaid.has(send.cause);
      send = sends[0]
    ) {
      said.push(saidByUs(send, offset))
      sends.shift()
    }
    said.push(saidByCustomer(message))
    // The messages of a bundle share their cause. Its replies come after its last message.
    if (lastOf.get(message.cause) === message) unsaid.delete(message.cause)
    offset = message.clockOffset
  }
  return [...said, ...sends.map((send) => saidByUs(send, offset))]
}

function saidByCustomer({ at, facts }: History['received'][number]): HistoryEntry {
  const message = { by: 'customer', at: new Date(at), slot: undefined } as const
  if (facts === undefined) return { ...message, kind: 'unknown', text: undefined, gone: true }
  const values = (JSON.parse(facts) as KeptFacts).values
  const { kind = 'unknown' } = values
  // Leave out the text of an edit, because a language model would take it for a new message.
  if (isSignal(kind)) return { ...message, kind, text: undefined, gone: false }
  return { ...message, kind, text: writtenIn(values), gone: false }
}

function saidByUs({ acceptedAt, cause, slot, body }: History['sent'][number], clockOffset: number): HistoryEntry {
  const send = JSON.parse(body) as SendRequest
  const { type = 'text' } = send
  const message = {
    by: isByPerson({ cause, slot }) ? 'person' : 'bot',
    at: new Date(acceptedAt + clockOffset),
    kind: type,
    slot: cause === APP_CAUSE ? undefined : nameOfSlot(slot),
    gone: false,
  } as const
  if (type === 'template') return { ...message, text: undefined, template: templateIn(send) }
  return { ...message, text: bodyText(send) }
}

function templateIn({ template_name: name, template_language: language, template_components: parts }: SendRequest) {
  const parameters = (parts ?? []).flatMap(({ parameters: given = [] }) =>
    given.flatMap((one) => (one.type === 'text' ? [one.text] : [])),
  )
  return { name: name ?? '', language: language ?? '', parameters }
}
