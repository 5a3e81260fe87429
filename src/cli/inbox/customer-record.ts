import type { DeliveryRow, SendRow } from '../../stores/port/index.ts'
import type { Reader } from '../../stores/port/reader.ts'
import { parseJson } from '../../base/value.ts'
import { iso } from '../../inspect/iso.ts'
import { pages } from './select.ts'
import { detailsOf } from '../../inspect/delivery-view.ts'
import { paged, type PageOf } from '../support/database.ts'

/** All that is kept of a customer, and nothing of anybody else. */
export async function recordOf(reader: Reader, customer: string, now: number) {
  const kept = await reader.keptOf(customer)
  const { naming } = await reader.holding(customer)
  return {
    customer,
    exportedAt: iso(now),
    received: await receivedFrom(reader, customer, kept.once, now),
    sent: await sentTo(reader, customer),
    sessions: kept.sessions.map(({ number, value, expiresAt }) => ({
      number,
      value: jsonOf(value),
      expiresAt: iso(expiresAt ?? undefined),
    })),
    windows: kept.windows.map(({ number, lastInboundAt, lastSentAt }) => ({
      number,
      lastInboundAt: iso(lastInboundAt),
      lastSentAt: iso(lastSentAt ?? undefined),
    })),
    silences: kept.mutes.map((mute) => ({ ...mute, since: iso(mute.since), until: iso(mute.until) })),
    conversations: kept.conversations.map((one) => ({
      ...one,
      input: jsonOf(one.input),
      openedAt: iso(one.openedAt),
      endedAt: iso(one.endedAt ?? undefined),
      steps: one.steps.map((step) => ({ ...step, result: jsonOf(step.result) })),
    })),
    timers: kept.timers.map((timer) => ({ ...timer, dueAt: iso(timer.dueAt), says: jsonOf(timer.says) })),
    /** Deliveries that nobody handled and that name these digits somewhere; whose they are, a person has to see. */
    unread: naming,
  }
}

type Once = Awaited<ReturnType<Reader['keptOf']>>['once']

/** Deliveries, the oldest first, each with the customer's own items. */
async function receivedFrom(reader: Reader, customer: string, once: Once, now: number) {
  const rows: DeliveryRow[] = []
  for await (const page of pages(reader, { customer })) rows.push(...page)
  const received = []
  for (const row of rows.reverse()) {
    const detail = await reader.deliveryDetail(row.seq)
    if (!detail) continue
    const items = row.items.filter((item) => item.customer === customer)
    const { sends: _, body, ...shown } = detailsOf({ ...row, items }, detail, now, { reveal: true })
    const results = once
      .filter(({ seq }) => seq === row.seq)
      .map(({ name, result }) => ({ name, result: jsonOf(result) }))
    // The bytes of a batch are those of other customers too.
    received.push({ ...shown, once: results, ...(items.length === row.items.length && { body }) })
  }
  return received
}

/** Sends, the oldest first, with what became of them. */
async function sentTo(reader: Reader, customer: string) {
  const rows: SendRow[] = []
  const read = async (page: PageOf<number>) => {
    const { sends, next } = await reader.listSends({ customer, ...page })
    return { rows: sends, next }
  }
  for await (const page of paged(read)) rows.push(...page)
  const sent = []
  for (const send of rows.reverse()) {
    const { id, key, number, state, via, ref, body, fallback, withheld, messageId, upstreamId, code, reason } = send
    const statuses = (await reader.statusesOf(send)).map(({ at, ...status }) => ({ ...status, at: iso(at) }))
    sent.push({
      id,
      key,
      number,
      state,
      via,
      ref,
      createdAt: iso(send.createdAt),
      settledAt: iso(send.settledAt),
      messageId,
      upstreamId,
      code,
      reason,
      attempts: send.attempts,
      possiblyTwice: send.possiblyTwice,
      codeWithheld: withheld,
      body: jsonOf(body),
      fallback: fallback && jsonOf(fallback.body),
      statuses,
    })
  }
  return sent
}

/** JSON as it is kept, or a text that is none. */
function jsonOf(text: string | null): unknown {
  if (text === null) return undefined
  const json = parseJson(text)
  return json === undefined ? text : json
}
