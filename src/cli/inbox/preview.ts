import { type PayloadReading, readBody } from '../../payload/index.ts'
import type { DeliveryRow, Store } from '../../stores/port/index.ts'
import type { ReadingRules } from '../support/reading-rules.ts'

/** A parked delivery, as it would be read now. */
export interface Preview {
  readonly seq: number
  readonly id: string | undefined
  readonly event: string
  /** Undefined if the payload cannot be understood. */
  readonly shape: string | undefined
  /** Why it would be parked again; undefined if nothing is known that would park it. */
  readonly stays: string | undefined
  /** The part that only the app knows: a function of its mapping, or its numbers. */
  readonly unsure: string | undefined
  /** For each message its facts. */
  readonly messages: readonly Readonly<Record<string, FactPreview>>[]
}

export interface FactPreview {
  readonly path: string
  readonly how: string
  readonly sure: boolean
  /** Shown to whoever asks to see values. */
  readonly value?: unknown
}

/** Reads a delivery as the app would, and changes nothing; undefined if its bytes are gone. */
export async function previewOf(
  store: Pick<Store, 'deliveryDetail'>,
  delivery: DeliveryRow,
  rules: ReadingRules,
  reveal: boolean,
): Promise<Preview | undefined> {
  const { seq, deliveryId: id, event, receivedAt, clockOffset } = delivery
  const body = (await store.deliveryDetail(seq))?.body
  if (body === undefined || event === undefined) return undefined
  const reading = readBody(body, {
    event,
    deliveryId: id,
    now: receivedAt + clockOffset,
    mapping: rules.mappingOf(event),
  })
  if ('refused' in reading) {
    const stays = `it cannot be understood (${reading.refused.code})`
    return { seq, id, event, shape: undefined, stays, unsure: undefined, messages: [] }
  }
  return {
    seq,
    id,
    event,
    shape: reading.shape().fingerprint,
    ...verdictOn(delivery, event, reading, rules),
    messages: reading.views.map((view) => factsOf(view, reveal)),
  }
}

type Understood = Extract<PayloadReading, { views: unknown }>
type View = Understood['views'][number]

function verdictOn(
  delivery: DeliveryRow,
  event: string,
  { views }: Understood,
  rules: ReadingRules,
): Pick<Preview, 'stays' | 'unsure'> {
  const reasons = delivery.items.flatMap(({ state, reason }) => (state === 'parked' && reason ? [reason] : []))
  const functions = rules.functionsOf(event)
  const missing = views.flatMap((view) => [...lostIn(view), ...missingIn(view, event, reasons)])
  const stays = missing.find((reason) => !functions.includes(reason.slice(MISSING.length)))
  const found = missing.find((reason) => reason !== stays)
  const ofNumbers = reasons.find((reason) => reason.startsWith('number_'))
  const unsure =
    found === undefined
      ? ofNumbers && 'it was parked for its number, and which numbers there are the app alone knows'
      : `a function of the app looks for ${found.slice(MISSING.length)}`
  return { stays, unsure }
}

const MISSING = 'fact_missing: '

function lostIn({ lost }: View): string[] {
  return lost === undefined ? [] : [`${MISSING}${lost}`]
}

/** The facts that every message must have, and those that a handler of it has once needed and not found. */
function missingIn({ facts, own }: View, event: string, reasons: readonly string[]): string[] {
  const hasNobody = event === 'message.received' && !facts.customer
  if (hasNobody) return [facts.userId ? 'customer_number_hidden' : `${MISSING}customer`]
  return reasons.filter((reason) => {
    const name = reason.startsWith(MISSING) ? reason.slice(MISSING.length) : undefined
    return name !== undefined && !Object.hasOwn(facts, name) && !Object.hasOwn(own ?? {}, name)
  })
}

function factsOf({ facts, own }: View, reveal: boolean): Record<string, FactPreview> {
  const all = Object.entries({ ...facts, ...own })
  return Object.fromEntries(
    all.flatMap(([name, reading]) => {
      if (!reading) return []
      const { path, how, sure, value } = reading
      return [[name, { path, how, sure, ...(reveal && { value }) }]]
    }),
  )
}
