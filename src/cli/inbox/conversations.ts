import { maskPhone } from '../../base/mask.ts'
import type { ConversationPage, ConversationRow } from '../../stores/port/index.ts'
import type { Reader } from '../../stores/port/reader.ts'
import { type DatabaseFlags, withReader, withStore } from '../support/database.ts'
import { type Io, printLine } from '../support/io.ts'
import { iso } from '../../inspect/iso.ts'
import { age, table } from '../support/output.ts'
import { askBefore } from '../support/prompt.ts'
import type { Reveal } from '../../inspect/mask.ts'
import { paged, type PageOf } from '../support/paged.ts'

interface ConversationFlags extends DatabaseFlags, Reveal {
  readonly number?: string
  readonly customer?: string
  readonly limit: number
  readonly end?: string
  readonly yes?: boolean
}

/** Prints the open conversations, by number and customer, or ends one of them. */
export async function conversations(io: Io, flags: ConversationFlags): Promise<void> {
  if (flags.end !== undefined) return end(io, flags.end, flags)
  await withReader(io, flags, async (reader) => {
    if (flags.json) return printJson(io, reader, flags)
    const now = Date.now()
    const rows: string[][] = []
    for await (const conversation of open(reader, flags)) rows.push(rowOf(conversation, now, flags))
    if (rows.length > 0) io.out(table([HEAD, ...rows]).join('\n'))
    else io.err('No conversation is open.')
    if (rows.length === flags.limit) io.err(`The first ${flags.limit}; --limit shows more.`)
  })
}

async function* open(reader: Reader, { number, customer, limit }: ConversationFlags): AsyncGenerator<ConversationRow> {
  const filter = { ...(number !== undefined && { number }), ...(customer !== undefined && { customer }) }
  const read = async (page: PageOf<ConversationPage['next']>) => {
    const { conversations, next } = await reader.listConversations({ ...filter, after: undefined, ...page })
    return { rows: conversations, next }
  }
  for await (const page of paged(read, limit)) yield* page
}

const HEAD = ['ID', 'NUMBER', 'CUSTOMER', 'CONVERSATION', 'VERSION', 'OPEN FOR', 'STEPS', 'WAITS FOR', 'UNTIL']

function rowOf(conversation: ConversationRow, now: number, { reveal }: Reveal): string[] {
  const { id, number, customer, name, version, openedAt, steps, waits } = conversation
  return [
    id,
    number,
    reveal ? customer : maskPhone(customer),
    name,
    String(version),
    age(now - openedAt),
    String(steps),
    waits ? (waits.for === 'answer' ? 'an answer' : 'a time') : '-',
    iso(waits?.dueAt) ?? '-',
  ]
}

async function printJson(io: Io, reader: Reader, flags: ConversationFlags): Promise<void> {
  for await (const { id, number, customer, name, version, openedAt, steps, waits } of open(reader, flags)) {
    const shown = {
      kind: 'conversation',
      id,
      number,
      customer: flags.reveal ? customer : maskPhone(customer),
      name,
      version,
      openedAt: iso(openedAt),
      steps,
      waits: waits && { step: waits.step, for: waits.for, since: iso(waits.since), until: iso(waits.dueAt) },
    }
    await printLine(io, JSON.stringify(shown))
  }
}

async function end(io: Io, id: string, flags: ConversationFlags): Promise<void> {
  const what = `end the conversation ${id} without a word to its customer`
  if (!flags.yes) await askBefore(io, what, flags.json, 'nothing was ended')
  const ended = await withStore(io, flags, (store) => store.endConversation(id, store.clock()))
  if (!ended) throw new Error(`no open conversation has the id ${id}: \`switchhook inbox conversations\` lists them`)
  if (flags.json) io.out(JSON.stringify({ id, ended: 'by_person' }))
  else io.err(`Ended. The customer hears nothing of it, and their next message goes to the routes.`)
}
