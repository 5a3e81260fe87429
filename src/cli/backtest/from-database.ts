import { optionsInvalid } from '../../base/errors.ts'
import type { RecordedConversation, Recorded } from '../../backtest/recording.ts'
import { createTapResigner } from '../../backtest/resign-taps.ts'
import { parseBody } from '../../payload/index.ts'
import { type KeptConversationOnce, OWN_SUBSCRIPTION, type RecordedDelivery } from '../../stores/port/index.ts'
import type { Reader } from '../../stores/port/reader.ts'
import { recordedIn } from '../support/recordings.ts'

/** Deliveries that are to be played, and the number of those that are not. */
export interface Source {
  readonly deliveries: readonly Recorded[]
  readonly conversations: readonly RecordedConversation[]
  readonly left: {
    /** Statuses of messages that were sent when the deliveries came. */
    readonly statuses: number
    /** Deliveries that tell of messages of the bot itself. */
    readonly own: number
    /** Deliveries whose bodies are no JSON objects. */
    readonly unreadable: number
  }
}

export interface Wanted {
  readonly event?: string
  /** Wall time. */
  readonly receivedFrom?: number
  readonly until?: number
  /** Numbers or ids of deliveries, as `inbox ls` shows them; none: all. */
  readonly ids: readonly string[]
}

/** How many deliveries are completed by one question to the database. */
const AT_ONCE = 100

/** Reads recorded deliveries with the results of their effects, in the order of their arrival. */
export async function fromDatabase(reader: Reader, wanted: Wanted): Promise<Source> {
  const found: RecordedDelivery[] = []
  const left = { statuses: 0, own: 0, unreadable: 0 }
  for await (const one of recordedIn(reader, wanted)) {
    if (!isWanted(one, wanted)) continue
    if (!('json' in parseBody(one.body))) left.unreadable++
    else if (one.event === 'message.status') left.statuses++
    else if (one.event === 'message.sent' && (await isOwnMessage(reader, one))) left.own++
    else found.push(one)
  }
  refuseUnknown(wanted.ids, found)
  const key = await reader.knownSecret('taps')
  const resign = key ? createTapResigner(key) : (body: string) => body
  const held = await conversationsOf(reader, found)
  const deliveries: Recorded[] = []
  for (let from = 0; from < found.length; from += AT_ONCE)
    deliveries.push(...(await completed(reader, found.slice(from, from + AT_ONCE), held, resign)))
  const conversations = held.map(({ conversation: id, name, once }) => ({ id, name, once }))
  return { deliveries, conversations, left }
}

/** Those that the deliveries entered, and those that a handler had another customer enter: the bot itself tells of these. */
async function conversationsOf(reader: Reader, found: readonly RecordedDelivery[]): Promise<KeptConversationOnce[]> {
  const seqs = new Set(found.map(({ seq }) => seq))
  const fromSeq = Math.min(...seqs)
  const held: KeptConversationOnce[] = []
  for (let after: string | undefined; found.length > 0; ) {
    const page = await reader.onceOfConversations({ fromSeq, after, limit: AT_ONCE })
    held.push(...page.filter(({ seq, subscription }) => seqs.has(seq) || subscription === OWN_SUBSCRIPTION))
    if (page.length < AT_ONCE) break
    after = page.at(-1)?.conversation
  }
  return held
}

function isWanted({ seq, deliveryId, at }: RecordedDelivery, { ids, until }: Wanted): boolean {
  if (until !== undefined && at > until) return false
  return ids.length === 0 || ids.includes(String(seq)) || ids.includes(deliveryId)
}

function refuseUnknown(ids: readonly string[], found: readonly RecordedDelivery[]): void {
  const missing = ids.find((id) => !found.some(({ seq, deliveryId }) => id === String(seq) || id === deliveryId))
  if (missing === undefined) return
  throw optionsInvalid(
    `--id: delivery ${missing} is not there, or cannot be played: its bytes are gone, nobody could read it, or it tells of a send; \`switchhook inbox show ${missing}\` tells more`,
  )
}

async function completed(
  reader: Reader,
  page: readonly RecordedDelivery[],
  held: readonly KeptConversationOnce[],
  resign: ReturnType<typeof createTapResigner>,
): Promise<Recorded[]> {
  const seqs = page.map(({ seq }) => seq)
  const rows = new Map((await reader.deliveries(seqs)).map((row) => [row.seq, row]))
  const kept = await reader.onceResults(seqs)
  return page.map(({ seq, deliveryId, event, at, body }) => {
    const items = rows.get(seq)?.items ?? []
    const holders = items.flatMap(({ number, customer }) => (customer === undefined ? [] : [{ number, customer }]))
    const once = kept.filter((one) => one.seq === seq).map(({ idx, name, result }) => ({ idx, name, result }))
    const entered = held.filter((one) => one.seq === seq).map(({ conversation }) => conversation)
    const number = items[0]?.number
    return {
      id: deliveryId,
      event,
      at,
      ...(number !== undefined && { number }),
      body: resign(Buffer.from(body).toString('utf8'), holders),
      ...(once.length > 0 && { once }),
      ...(entered.length > 0 && { entered }),
    }
  })
}

/** Tells of a message that this bot sent: in the backtest the bot sends others, of which the world tells. */
async function isOwnMessage(reader: Reader, { body }: RecordedDelivery): Promise<boolean> {
  const ids = new Set(
    Buffer.from(body)
      .toString('utf8')
      .match(/"[\w.:=+/-]{8,200}"/g),
  )
  for (const quoted of ids) {
    const id = quoted.slice(1, -1)
    if ((await reader.findSend({ messageId: id })) ?? (await reader.findSend({ upstreamId: id }))) return true
  }
  return false
}
