import { closeSync, writeFileSync, writeSync } from 'node:fs'
import { optionsInvalid } from '../../../base/errors.ts'
import { parseJson } from '../../../base/value.ts'
import { filterOf, type Filters, pages, sendPages } from './select.ts'
import { type DatabaseFlags, withReader } from '../support/open-database.ts'
import { openNewFile } from '../support/files.ts'
import { type Io, printLine } from '../support/io.ts'
import { RefusedForSafety } from '../support/exit.ts'
import { bodyText } from '../../../service/body-text.ts'
import { sendSchema } from '../../../service/send-request.ts'
import { counted } from '../../../view/delivery-states.ts'
import { detailsOf, iso } from '../../../view/delivery-view.ts'
import type { Reveal } from '../../../view/mask.ts'
import { recordedIn } from '../../../view/payload-report.ts'
import { parseBody } from '../../../bot/inbox/payload/read-body.ts'
import type { Reader } from '../../../store/store.ts'
import type { RecordedReply, RecordedStep } from '../../../emulator/recording/recording.ts'
import type { DeliveryRow, RecordedDelivery } from '../../../store/reads/deliveries.ts'
import type { SendRow } from '../../../store/database/outbox-tables.ts'

interface ExportFlags extends DatabaseFlags, Pick<Filters, 'since'>, Reveal {
  readonly out?: string
  readonly customer?: string
}

export async function exportKept(io: Io, flags: ExportFlags): Promise<void> {
  const { customer, since, reveal } = flags
  if (customer === undefined) return exportRecording(io, flags)
  if (since !== undefined || reveal)
    throw optionsInvalid('--customer writes everything stored about that customer, unmasked: leave out the other flags')
  await exportCustomer(io, customer, flags)
}

/** Nothing is masked, because the export is for the customer. */
async function exportCustomer(io: Io, customer: string, { out, json, ...flags }: ExportFlags): Promise<void> {
  const record = await withReader(io, flags, async (reader) =>
    recordOf(reader, await reader.customerNamed(customer), Date.now()),
  )
  const text = `${JSON.stringify(record, undefined, 2)}\n`
  if (out === undefined) return printLine(io, text.trimEnd())
  const file = openNewFile(io, out)
  writeFileSync(file, text)
  closeSync(file)
  const [received, sent] = [record.received.length, record.sent.length]
  if (json) io.out(JSON.stringify({ out, received, sent }))
  else io.err(`${received} deliveries and ${sent} sends of this customer in ${out}, with texts.`)
}

/** Writes a recording step by step, because it may not fit into memory. */
async function exportRecording(io: Io, flags: ExportFlags): Promise<void> {
  if (!flags.reveal) throw new RefusedForSafety('a recording contains phone numbers and texts: pass --reveal')
  await withReader(io, flags, async (reader) => {
    const steps = await createSteps(reader)
    const out = flags.out === undefined ? undefined : openNewFile(io, flags.out)
    const write = (line: string) => (out === undefined ? printLine(io, line) : writeSync(out, `${line}\n`))
    let [written, leftOut] = [0, 0]
    try {
      await write('{"recording":1,"name":"recorded deliveries","steps":[')
      for await (const delivery of recordedIn(reader, filterOf(flags, Date.now()))) {
        const step = await steps(delivery)
        if (step) await write(`${written++ > 0 ? ',' : ''}${JSON.stringify(step)}`)
        else leftOut++
      }
      await write(']}')
    } finally {
      if (out !== undefined) closeSync(out)
    }
    if (!flags.json) io.err(exportText(written, leftOut, flags))
    else if (flags.out !== undefined) io.out(JSON.stringify({ out: flags.out, written, leftOut }))
  })
}

/** Returns a function that turns a delivery into a step, or into undefined if the recording must not contain it. */
async function createSteps(reader: Reader) {
  const forgotten = new Map(
    (await reader.forgottenCustomers()).map((one) => [`${one.number}/${one.customer}`, one.items]),
  )
  let latest = ''
  return async ({ seq, event, body, at: receivedAt }: RecordedDelivery): Promise<RecordedStep | undefined> => {
    const parsed = parseBody(body)
    const [row] = await reader.deliveries([seq])
    // The customer was forgotten, and the rows are not erased yet.
    if (row?.items.some(({ number, customer }) => seq <= (forgotten.get(`${number}/${customer}`) ?? -1)))
      return undefined
    if (!('json' in parsed) || (await isAboutOwnMessage(reader, { event, body, number: row?.subscription ?? '' })))
      return undefined
    const detail = await reader.deliveryDetail(seq)
    const item = row?.items[0]
    const facts = parseJson(detail?.items[0]?.facts ?? '') as Facts | undefined
    const customer = item?.kind === 'message' ? item.customer : undefined
    const text = facts?.values?.text ?? facts?.values?.tapped?.title
    const sends = await sendsOf(reader, detail?.sends ?? [])
    // Deliveries are read in the order of arrival. If the clock was set back, a later one may have an earlier time.
    const at = new Date(receivedAt).toISOString()
    latest = at > latest ? at : latest
    return {
      kind: 'delivery',
      at: latest,
      event,
      ...(item !== undefined && item.number !== 'default' && { number: item.number }),
      ...(customer !== undefined && { customer }),
      ...(text !== undefined && { text }),
      payload: parsed.json,
      replies: sends.flatMap(replyOf),
    }
  }
}

interface Facts {
  readonly values?: { readonly text?: string; readonly tapped?: { readonly title?: string } }
}

/**
 * True if a delivery is about a message that this bot sent. When the recording is played, that message does not exist.
 * The bot would believe that a person wrote it in the dashboard.
 */
async function isAboutOwnMessage(
  reader: Reader,
  { event, body, number }: { readonly event: string; readonly body: Uint8Array; readonly number: string },
): Promise<boolean> {
  if (event === 'message.status') return true
  if (event !== 'message.sent') return false
  const quoted = Buffer.from(body)
    .toString('utf8')
    .match(/"[\w.:=+/-]{8,200}"/g)
  for (const text of new Set(quoted)) {
    const id = text.slice(1, -1)
    if (await reader.findSend({ messageId: id, upstreamId: id, number })) return true
  }
  return false
}

async function sendsOf(reader: Reader, sends: readonly { readonly id: string }[]): Promise<SendRow[]> {
  const found = await Promise.all(sends.map(({ id }) => reader.findSend({ id })))
  return found.filter((send) => send !== undefined)
}

/** Empty for a send that was neither accepted nor refused. */
function replyOf({ customer: to, state, code, body }: SendRow): RecordedReply[] {
  const sent = sendSchema.safeParse(parseJson(body)).data
  if (!sent || (state !== 'accepted' && state !== 'refused')) return []
  const { type, interactive, template_name: name, template_language: language, media_url: media } = sent
  const text = bodyText(sent)
  const rows = interactive?.sections?.flatMap((section) => section.rows)
  const options = (interactive?.buttons ?? rows)?.map(({ title }) => title)
  const url = media ?? interactive?.cta?.url
  return [
    {
      to,
      ...(type !== 'text' && type !== 'template' && { kind: type }),
      ...(text && { text }),
      ...(options && { options }),
      ...(name && { template: { name, ...(language && { language }) } }),
      ...(url && { url }),
      ...(state === 'refused' && { refused: code ?? 'refused' }),
    },
  ]
}

function exportText(written: number, leftOut: number, { out }: ExportFlags): string {
  const where = out === undefined ? '' : ` in ${out}`
  const without =
    leftOut > 0
      ? `; ${leftOut} left out: about the bot's own messages, of forgotten customers, or not JSON objects`
      : ''
  return `${counted(written)}${where}, with phone numbers and texts${without}.`
}

async function recordOf(reader: Reader, customer: string, now: number) {
  const { once, ...kept } = await reader.keptOf(customer)
  const { naming } = await reader.countKept(customer)
  return {
    customer,
    exportedAt: iso(now),
    received: await receivedFrom(reader, customer, once, now),
    sent: await sentTo(reader, customer),
    ...(readable(kept) as object),
    /** How many unread deliveries contain these digits. A person has to decide whose they are. */
    unread: naming,
  }
}

const TIME = /(?:At|^at|^since|^until)$/
const JSON_TEXT = /^(?:value|input|result|says|body|fallback)$/

/** Turns times into ISO 8601, and texts that contain JSON into the values that they contain. */
function readable(value: unknown, name = ''): unknown {
  if (typeof value === 'number' && TIME.test(name)) return iso(value)
  if (typeof value === 'string' && JSON_TEXT.test(name)) {
    const json = parseJson(value)
    return json === undefined ? value : json
  }
  if (Array.isArray(value)) return value.map((one) => readable(one))
  if (typeof value !== 'object' || value === null) return value ?? undefined
  return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, readable(one, member)]))
}

type Once = Awaited<ReturnType<Reader['keptOf']>>['once']

async function receivedFrom(reader: Reader, customer: string, once: Once, now: number) {
  const rows: DeliveryRow[] = []
  for await (const page of pages(reader, { customer })) rows.push(...page)
  const received = []
  for (const row of rows.reverse()) {
    const detail = await reader.deliveryDetail(row.seq)
    if (!detail) continue
    const items = row.items.filter((item) => item.customer === customer)
    const { sends: _, body, ...shown } = detailsOf({ ...row, items }, detail, now, { reveal: true })
    const results = once.filter(({ seq }) => seq === row.seq).map(({ name, result }) => readable({ name, result }))
    // The bytes of a batch contain other customers' messages.
    received.push({ ...shown, once: results, ...(items.length === row.items.length && { body }) })
  }
  return received
}

async function sentTo(reader: Reader, customer: string) {
  const rows: SendRow[] = []
  for await (const page of sendPages(reader, { customer })) rows.push(...page)
  const sent = []
  for (const send of rows.reverse()) {
    sent.push(readable({ ...send, statuses: await reader.statusesOf(send) }))
  }
  return sent
}
