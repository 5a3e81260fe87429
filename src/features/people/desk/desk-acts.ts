import { isA, SwitchhookError } from '../../../base/errors.ts'
import { built, type Content, type Freeform, type Template, type Wire } from '../../../service/content.ts'
import { audio, document, image, video } from '../../../service/interactive.ts'
import { template } from '../../../service/template.ts'
import { OutsideWindow, Unseen } from '../../../bot/outbox/send.ts'
import { isByPerson } from '../../../store/outbox/send-rules.ts'
import type { Store } from '../../../store/store.ts'
import { Refused } from '../../../admin/admin-http.ts'
import type { PageDeps } from '../../../admin/page-host.ts'
import type { AskedDeskAct } from './desk-api.ts'
import type { DeskSettings } from './desk-options.ts'
import { giveBack, take, write } from '../answering.ts'
import { whyNotSent } from './why-not-sent.ts'
import type { CustomerOfNumber } from '../../../store/database/customer-tables.ts'

interface Doing {
  readonly who: CustomerOfNumber
  /** The person who acts. */
  readonly by: string
  readonly deps: PageDeps
  readonly settings: DeskSettings
}

type Name = AskedDeskAct['act']
type Run<N extends Name> = (asked: Extract<AskedDeskAct, { act: N }>, doing: Doing) => Promise<number>

const MINUTE_MS = 60_000

/** An act resolves with the count for the record of acts: 0 if an earlier request has done it. */
const ACTS: { readonly [N in Name]: Run<N> } = {
  async write(asked, { who, by, deps: { desk }, settings }) {
    const { key, seen, confirmed } = asked
    const content =
      asked.again === undefined ? contentOf(asked, settings) : await contentOfSend(asked.again, who, desk.store)
    const sent = await write(desk, who, { content, key, writer: by, seen, confirmed }).catch((error: unknown) =>
      isA(error, Unseen) ? unseen() : refuseSend(error),
    )
    return 'replayed' in sent && sent.replayed ? 0 : 1
  },

  take: (_, { who, by, deps: { desk } }) => take(desk, who, by).then(() => 1),

  async pass({ to, note }, { who, by, deps: { desk }, settings }) {
    const colleagues = await settings.colleagues?.()
    if (colleagues && !colleagues.includes(to))
      throw new Refused('no_colleague', `${JSON.stringify(to)} is none of the colleagues.`)
    const now = desk.clock.wall()
    await desk.store.assign(who, to, { note: { who: by, note: note ?? '', passedTo: to }, now })
    return 1
  },

  note: ({ note }, { who, by, deps: { desk } }) =>
    desk.store.addNote(who, { who: by, note }, desk.clock.wall()).then(() => 1),

  async dismiss({ seen, confirmed }, { who, by, deps: { desk } }) {
    const dismissed = await desk.store.dismissWait(who, { by, seen, confirmed, now: desk.clock.wall() })
    return dismissed.unseen ? unseen() : Number(dismissed.done)
  },

  async snooze({ minutes }, { who, deps: { desk } }) {
    const { clock, store } = desk
    if (await store.snoozeWait(who, clock.service() + minutes * MINUTE_MS, clock.wall())) return 1
    throw new Refused('no_wait', 'This customer does not wait.')
  },

  async give_back({ answer }, { who, by, deps: { desk } }) {
    const given = await giveBack(desk, who, by, answer)
    return answer === 'next' ? 1 : given
  },
}

export function runDeskAct(asked: AskedDeskAct, doing: Doing): Promise<number> {
  return (ACTS[asked.act] as Run<Name>)(asked, doing)
}

const CLOSED = 'The 24-hour window of this customer is closed. Choose a template.'

function refuseSend(error: unknown): never {
  if (!isA(error, SwitchhookError)) throw error
  if (error.code === 'diverged')
    throw new Refused('changed', 'Another message was written under this key. Nothing was sent now.')
  // The message of `OutsideWindow` is for programmers, so a person gets another text.
  const why = error instanceof OutsideWindow ? CLOSED : `It was not sent: ${error.message}`
  throw new Refused(whyNotSent(error.code), why)
}

function unseen(): never {
  throw new Refused('unseen', 'Somebody has written since. Read it, and send again if your message still fits.')
}

type Written = Extract<AskedDeskAct, { act: 'write' }>

/** Returns the content of an earlier message that a person wrote to the same customer. */
async function contentOfSend(line: string, who: CustomerOfNumber, store: Store): Promise<Content | Template> {
  const send = line.startsWith('s') ? await store.findSend({ id: line.slice(1) }) : undefined
  if (!send || !isByPerson(send) || send.number !== who.number || send.customer !== who.customer)
    throw new Refused('not_found', 'This message does not exist any more.')
  const { to: _, ...wire } = JSON.parse(send.body) as Wire
  return wire.type === 'template'
    ? built<Template>({ kind: 'template' }, wire)
    : built<Freeform>({ kind: 'text' }, wire)
}

function contentOf(
  { text, template: chosen, media, snippet }: Written,
  { snippets }: DeskSettings,
): Content | Template {
  if ([text, chosen, media, snippet].filter((one) => one !== undefined).length !== 1)
    throw new Refused('invalid', 'write: expected one of text, template, media, snippet and again')
  if (text !== undefined) return text
  if (chosen) return template(chosen.name, chosen.language, { header: chosen.header, body: chosen.body })
  if (media) return mediaOf(media)
  const found = snippets.find(({ name }) => name === snippet)
  if (!found) throw new Refused('no_snippet', 'This snippet does not exist any more.')
  return found.content ?? found.text
}

function mediaOf({ kind, url, caption, name }: NonNullable<Written['media']>): Content {
  try {
    if (kind === 'image') return image(url, { caption })
    if (kind === 'video') return video(url, { caption })
    if (kind === 'audio') return audio(url)
    return document(url, { caption, filename: name })
  } catch (error) {
    return refuseSend(error)
  }
}
