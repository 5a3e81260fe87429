import { LONG_DIGITS, lengthOf } from '../../../view/mask.ts'
import type { KeptFacts } from '../../../bot/inbox/read-delivery.ts'
import { unmarked } from '../../../service/recipient.ts'
import { checkedBody, jsonAnswer, jsonOf, type PageRequest, Refused } from '../../../admin/admin-http.ts'
import type { Visitor } from '../../../admin/door.ts'
import { maskedName } from '../../../admin/handles.ts'
import { limitIn, numberIn, oneOf, textIn } from '../../../admin/query.ts'
import type { PageDeps } from '../../../admin/page-host.ts'
import { recorded } from '../../../admin/record.ts'
import { checkScope, onlyOne } from '../../../admin/scope.ts'
import { templateChoices } from '../../../admin/views/customers-view.ts'
import { runDeskAct } from './desk-acts.ts'
import {
  type AskedDeskAct,
  DESK_BODIES,
  type DeskDone,
  type DeskMe,
  type DeskState,
  LISTS,
  type QueuePage,
  type QueueRow,
  type TemplateChoice,
} from './desk-api.ts'
import type { DeskSettings } from './desk-options.ts'
import { beforeIn, loadChat, loadRows, nameIn, showChat, showRow } from './desk-view.ts'
import { countsFor, type Live } from './live.ts'
import type { Presence } from './presence.ts'
import type { Visits } from './visits.ts'
import type { CustomerOfNumber } from '../../../store/database/customer-tables.ts'

export interface DeskParts {
  readonly settings: DeskSettings
  readonly presence: Presence
  readonly visits: Visits
  readonly live: Live
}

interface Asked extends DeskParts {
  readonly request: PageRequest
  readonly visitor: Visitor
  readonly deps: PageDeps
  readonly id: string | undefined
  again(): Promise<Visitor | undefined>
}

export const ROUTES: Readonly<
  Record<string, readonly [method: 'GET' | 'POST', answer: (asked: Asked) => Promise<unknown>]>
> = {
  state: ['GET', state],
  queue: ['GET', queue],
  templates: ['GET', templates],
  manifest: ['GET', manifest],
  stream: ['GET', stream],
  search: ['POST', search],
  visit: ['POST', visit],
  presence: ['POST', present],
  act: ['POST', act],
  upload: ['POST', upload],
}

const ROUTE = new RegExp(`/api/(${Object.keys(ROUTES).join('|')})(?:/([\\w-]+))?$`)

export interface DeskRoute {
  readonly name: string
  readonly id: string | undefined
}

export function deskRouteIn(path: string): DeskRoute | undefined {
  const [, name, id] = ROUTE.exec(path) ?? []
  return name === undefined ? undefined : { name, id }
}

export async function answerDesk({ name, id }: DeskRoute, asked: Omit<Asked, 'id'>): Promise<Response> {
  const [method, answer] = ROUTES[name] ?? ['GET', state]
  const { method: given } = asked.request
  if (given !== method && !(method === 'GET' && given === 'HEAD' && name !== 'stream'))
    throw new Refused('method_not_allowed', `The method must be ${method}.`)
  const answered = await answer({ ...asked, id })
  return answered instanceof Response ? answered : jsonAnswer(answered)
}

/** @throws Refused `invalid`, or `not_found` for a customer of another number. */
function customerIn(handle: string, { deps, visitor }: Asked): CustomerOfNumber {
  const who = deps.handles.customerOf(handle)
  checkScope([who.number], visitor.scope)
  return who
}

async function state({ visitor, deps, settings }: Asked): Promise<DeskState> {
  const { store, clock, numbers } = deps.desk
  const me: DeskMe = {
    who: visitor.who,
    write: await visitor.mayWrite(),
    reveal: await visitor.mayReveal(),
    numbers: visitor.scope ?? numbers,
    everyNumber: visitor.scope === undefined,
  }
  return {
    me,
    name: settings.name,
    now: new Date(clock.service()).toISOString(),
    language: settings.language,
    texts: settings.texts,
    snippets: settings.snippets.map(({ name, text }) => ({ name, text })),
    colleagues: await settings.colleagues?.(),
    uploads: settings.store !== undefined,
    signOut: settings.signOut,
    counts: countsFor(visitor, await store.waitingByPerson(clock.service())),
  }
}

/** Addresses in a manifest are relative to the address of the manifest. */
async function manifest({ settings: { name, language, texts } }: Asked): Promise<object> {
  const short = name ?? texts['desk'] ?? 'Desk'
  return {
    name: short,
    short_name: short,
    lang: language,
    start_url: '../',
    scope: '../',
    display: 'standalone',
    background_color: '#f4f5f7',
    theme_color: '#0a6b57',
    icons: [
      { src: '../icon.svg', type: 'image/svg+xml', sizes: 'any' },
      { src: '../icon.png', type: 'image/png', sizes: '192x192' },
    ],
  }
}

function stream({ request, live, visitor, deps, again }: Asked): Promise<Response> {
  const browser = textIn(request.query, 'browser') ?? ''
  return live.open(visitor, deps, { browser, again })
}

async function queue(asked: Asked): Promise<QueuePage> {
  const { request, visitor, deps } = asked
  const { store, clock } = deps.desk
  const number = textIn(request.query, 'number')
  if (number !== undefined) checkScope([number], visitor.scope)
  const limit = limitIn(request.query)
  const skip = numberIn(request.query, 'after') ?? 0
  const rows = await store.listPeople({
    list: oneOf(request.query.get('list') ?? 'waiting', LISTS, 'list'),
    who: visitor.who,
    numbers: number === undefined ? visitor.scope : [number],
    at: clock.service(),
    limit,
    skip,
  })
  return {
    rows: await shownRows(await loadRows(rows, deps), asked),
    next: rows.length < limit ? undefined : String(skip + limit),
    counts: countsFor(visitor, await store.waitingByPerson(clock.service())),
  }
}

async function shownRows(rows: Awaited<ReturnType<typeof loadRows>>, asked: Asked): Promise<readonly QueueRow[]> {
  const { visitor, presence, visits, deps } = asked
  const revealed = await visitor.mayReveal()
  const shown = rows.map((row) => showRow(row, revealed, presence.of, deps))
  if (revealed && shown.length > 0) await visits.list(visitor.who, shown, onlyOne(visitor.scope), deps)
  return shown
}

const MOST_FOUND = 50
const MOST_READ = 500

async function search(asked: Asked): Promise<{ readonly rows: readonly QueueRow[] }> {
  const { visitor, deps } = asked
  const { store } = deps.desk
  const { text } = checkedBody(DESK_BODIES.search, await jsonOf(asked.request))
  if (!(await visitor.mayReveal())) throw new Refused('not_revealed', 'You may not search by numbers, names and words.')
  const words = text.trim().toLowerCase()
  const digits = unmarked(text).replaceAll('.', '')
  const isNumber = /^\d{3,15}$/.test(digits)
  const what = text.search(LONG_DIGITS) < 0 ? lengthOf(text) : 'a number'
  return recorded(
    { who: visitor.who, act: 'search', what, number: onlyOne(visitor.scope) },
    deps.desk,
    async () => {
      const said = await store.customersWhoSaid(isNumber ? digits : words, MOST_READ)
      const matching = said.filter(
        ({ customer, facts }) => (isNumber && customer.includes(digits)) || hasWords(facts, words),
      )
      const known = isNumber ? (await store.numbersOf(digits)).map((number) => ({ number, customer: digits })) : []
      const found = new Map(
        [...known, ...matching]
          .filter(({ number }) => visitor.scope?.includes(number) ?? true)
          .map(({ number, customer }) => [`${number}/${customer}`, { number, customer }]),
      )
      const rows = await store.peopleRows([...found.values()].slice(0, MOST_FOUND))
      return { rows: await shownRows(await loadRows(rows, deps), asked) }
    },
    ({ rows }) => rows.length,
  )
}

function hasWords(facts: string | undefined, words: string): boolean {
  if (facts === undefined) return false
  const { text, tapped, media } = (JSON.parse(facts) as KeptFacts).values
  return [text, tapped?.title, media?.caption, media?.filename, nameIn(facts)].some((one) =>
    one?.toLowerCase().includes(words),
  )
}

async function visit(asked: Asked): Promise<unknown> {
  const { visitor, presence, visits, live, deps } = asked
  const { customer, before } = checkedBody(DESK_BODIES.visit, await jsonOf(asked.request))
  const who = customerIn(customer, asked)
  const loaded = await loadChat(who, beforeIn(before), deps)
  const revealed = await visitor.mayReveal()
  const { changed } = presence.note(visitor.who, who, { typing: false, left: false })
  const chat = showChat(loaded, revealed, presence.of, deps)
  if (revealed) await visits.chat(visitor.who, who, chat, deps)
  if (changed) live.tellPresence(who)
  return chat
}

async function present(asked: Asked): Promise<{ readonly again: boolean }> {
  const { visitor, presence, visits, live } = asked
  const { customer, typing, left } = checkedBody(DESK_BODIES.presence, await jsonOf(asked.request))
  const who = customerIn(customer, asked)
  const { changed, isNew } = presence.note(visitor.who, who, { typing, left })
  if (changed) live.tellPresence(who)
  if (left) visits.end(visitor.who, who)
  return { again: isNew && !left }
}

async function templates(asked: Asked): Promise<{ readonly rows: readonly TemplateChoice[] }> {
  if (asked.id === undefined) throw new Refused('not_found', 'Whose templates?')
  const { number } = customerIn(asked.id, asked)
  return { rows: await templateChoices(number, asked.deps) }
}

async function act(asked: Asked): Promise<DeskDone> {
  const { visitor, deps, settings, presence } = asked
  await checkMayWrite(visitor)
  const given = checkedBody(DESK_BODIES.act, await jsonOf(asked.request))
  const who = customerIn(given.customer, asked)
  const what = `${maskedName(given.customer, deps.handles)}${detailOf(given)}`
  const count = await recorded(
    { who: visitor.who, act: given.act, what, number: who.number },
    deps.desk,
    () => runDeskAct(given, { who, by: visitor.who, deps, settings }),
    (done) => done,
  )
  const [row] = await loadRows(await deps.desk.store.peopleRows([who]), deps)
  if (!row) throw new Error('a customer has no row')
  return { count, row: showRow(row, await visitor.mayReveal(), presence.of, deps) }
}

/** Describes an act for the record of acts, without texts that a customer or a person wrote. */
function detailOf(given: AskedDeskAct): string {
  if (given.act === 'write')
    return given.template ? ', a template' : given.media ? `, a ${given.media.kind}` : ', a text'
  if (given.act === 'pass') return `, to ${given.to}`
  if (given.act === 'snooze') return `, for ${given.minutes} min`
  return given.act === 'give_back' && given.answer === 'waiting' ? ', the bot answers what waits' : ''
}

async function checkMayWrite(visitor: Visitor): Promise<void> {
  if (!(await visitor.mayWrite())) throw new Refused('may_not_write', 'You may not write to customers.')
}

/** The largest uploaded file. The service accepts larger documents: send their address instead. */
const LARGEST_FILE = 16 * 1_048_576

async function upload({ request, visitor, deps, settings }: Asked): Promise<{ readonly url: string }> {
  await checkMayWrite(visitor)
  const { store } = settings
  if (!store) throw new Refused('not_found', 'This desk stores no files: enter an address.')
  const name = (textIn(request.query, 'name') ?? 'file').replaceAll(/[\p{C}/\\]/gu, '_').slice(0, 200)
  const type = textIn(request.query, 'type') ?? 'application/octet-stream'
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(type)) throw new Refused('invalid', 'type: expected a media type')
  const bytes = await request.bytes(LARGEST_FILE)
  const what = `a file of ${bytes.length} bytes`
  return recorded(
    { who: visitor.who, act: 'upload', what, number: onlyOne(visitor.scope) },
    deps.desk,
    async () => ({ url: await store({ name, type, bytes }) }),
    () => 1,
  )
}
