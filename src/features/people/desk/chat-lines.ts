import { bodyText } from '../../../service/body-text.ts'
import { type SendRequest } from '../../../service/send-request.ts'
import { STATUS_ORDER } from '../../../service/delivery.ts'
import { shownIn } from '../../../bot/inbox/payload/facts.ts'
import type { KeptFacts } from '../../../bot/inbox/read-delivery.ts'
import { isByPerson } from '../../../store/outbox/send-rules.ts'
import type { Before, ChatMessage, Note } from '../store/chat.ts'
import type { ResultOf } from '../../../store/store.ts'
import { lengthOf, maskReason } from '../../../view/mask.ts'
import type { Line } from './desk-api.ts'
import { whyNotSent } from './why-not-sent.ts'
import type { SendRow } from '../../../store/database/outbox-tables.ts'

type StoredChat = ResultOf<'chatOf'>

export interface Showing {
  readonly revealed: boolean
  /** Service time minus wall time. */
  readonly offset: number
}

/** Returns the newest `limit` lines, oldest first. `older`: where older lines begin; undefined if there are none. */
export function chatLines(chat: StoredChat, limit: number, showing: Showing) {
  const { before } = chat
  // Messages come before sends, so an answer stands after its message if both have the same time.
  const placed = [
    ...chat.messages.toReversed().map((message) => ({
      wall: message.receivedAt,
      of: { message: message.id },
      line: lineOfMessage(message, showing),
    })),
    ...chat.sends.toReversed().map((send) => ({
      wall: send.createdAt,
      of: { send: chat.seqs.get(send.id) ?? 0 },
      line: lineOfSend(send, chat.statuses, showing),
    })),
    ...chat.notes
      .toReversed()
      .map((note) => ({ wall: note.at, of: { note: note.seq }, line: lineOfNote(note, showing) })),
  ].sort((a, b) => a.wall - b.wall)
  const shown = placed.slice(-limit)
  const isMore = placed.length > limit || [chat.messages, chat.sends, chat.notes].some(({ length }) => length === limit)
  const oldest = (of: keyof Before) =>
    Math.min(before[of], ...shown.flatMap((one) => (of in one.of ? Number(Object.values(one.of)[0]) : [])))
  return {
    lines: shown.map(({ line }) => line),
    older: isMore ? { message: oldest('message'), send: oldest('send'), note: oldest('note') } : undefined,
  }
}

export function lineOfMessage({ id, at, facts }: ChatMessage, showing: Showing): Line {
  const line = { id: `m${id}`, by: 'customer', at: new Date(at).toISOString() } as const
  if (facts === undefined) return { ...line, kind: 'unknown' }
  const values = (JSON.parse(facts) as KeptFacts).values
  const { kind = 'unknown', media } = values
  return {
    ...line,
    kind,
    text: shownText(shownIn(values), showing),
    media: showing.revealed && media ? { url: media.url, name: media.filename } : undefined,
  }
}

export function lineOfSend(send: SendRow, statuses: StoredChat['statuses'], showing: Showing): Line {
  const byPerson = isByPerson(send)
  const template = send.via === 'template' && send.fallback ? send.fallback.body : send.body
  const request = JSON.parse(template) as SendRequest
  const own = statuses.filter(({ message }) => message === send.messageId || message === send.upstreamId)
  const state = stateOf(send, own)
  const failed = own.find(({ status }) => status === 'failed')?.reason
  const why = failed ?? send.reason
  const line = {
    id: `s${send.id}`,
    by: byPerson ? 'person' : 'bot',
    who: send.byPerson?.writer,
    at: new Date(send.createdAt + showing.offset).toISOString(),
    state,
    why: showing.revealed ? why : maskReason(why),
    whyNot: failed === undefined && send.code !== undefined ? whyNotSent(send.code) : undefined,
  } as const
  if (send.withheld) return { ...line, kind: 'code' }
  const { type = 'text', media_url: url, media_filename: name } = request
  return {
    ...line,
    kind: type,
    text: shownText(bodyText(request) ?? textOfTemplate(request), showing),
    media: showing.revealed && url ? { url, name: name ?? undefined } : undefined,
    options: optionsOf(request, showing),
  }
}

function stateOf({ state }: SendRow, statuses: StoredChat['statuses']): NonNullable<Line['state']> {
  if (state === 'held' || state === 'unknown') return state
  if (state === 'refused' || state === 'lost_code') return 'failed'
  if (state !== 'accepted') return 'sending'
  const reached = new Set(statuses.map(({ status }) => status))
  if (reached.has('failed')) return 'failed'
  const highest = STATUS_ORDER.findLast((status) => reached.has(status))
  return highest === 'played' ? 'read' : (highest ?? 'sent')
}

/** Returns the name of the template and its filled-in parameters. */
function textOfTemplate({ template_name: name, template_components: parts }: SendRequest): string | undefined {
  if (name === undefined || name === null) return undefined
  const filled = (parts ?? []).flatMap(({ parameters = [] }) =>
    parameters.flatMap((one) => (one.type === 'text' ? [one.text] : [])),
  )
  return [name, ...filled].join(' · ')
}

function optionsOf({ interactive }: SendRequest, { revealed }: Showing) {
  if (!revealed || !interactive) return undefined
  const { buttons = [], sections = [] } = interactive
  const options = [...buttons, ...sections.flatMap(({ rows }) => rows)].map(({ title }) => title)
  return options.length > 0 ? options : undefined
}

function lineOfNote({ seq, at, who, note, passedTo }: Note, showing: Showing): Line {
  return {
    id: `n${seq}`,
    by: 'note',
    who,
    at: new Date(at + showing.offset).toISOString(),
    kind: 'note',
    text: shownText(note, showing),
    passedTo,
  }
}

function shownText(text: string | undefined | null, { revealed }: Showing): string | undefined {
  if (text === undefined || text === null) return undefined
  return revealed ? text : lengthOf(text)
}
