import { ulid } from 'ulid'
import { optionsInvalid, reasonOf, SwitchhookError } from '../../base/errors.ts'
import { isRecord } from '../../base/value.ts'
import type { Content, Template } from '../../service/content.ts'
import { type Recipient, recipient } from '../../service/recipient.ts'
import { encodeSend } from '../../service/wire.ts'
import { contentIn, jsonOfContent } from './stored-content.ts'
import type { AnnouncementRow, AnnouncementState, SendingHours } from './store/announcement-rows.ts'
import type { NewRecipient } from './store/announcements.ts'
import type { RecipientRow, RecipientState as StoredState } from './store/recipients.ts'
import { localTime } from '../../bot/hours.ts'
import { APP_CAUSE } from '../../store/outbox/send-rules.ts'
import { type Checks, checkMembers, expecting } from '../../bot/option-checks.ts'
import { outsideWindow, type SendKey } from '../../bot/outbox/send-options.ts'
import type { SameCustomer } from '../../bot/same-customer.ts'
import { type AnnouncementDeps, type AnnouncementRunner, contentFor } from './announcement-runner.ts'
import { countAllReached, progressOf, recipientPages } from './progress.ts'
import { columnsIn, filled } from './variables.ts'

/** Content for all recipients, or a function that makes it for each. */
export type AnnouncedContent<R = string> = Content | Template | ((customer: string, row: R) => Content | Template)

/** The recipients: phone numbers, or rows with more columns. If two rows have the same number, the first one counts. */
export type Recipients<R> = AsyncIterable<R> | Iterable<R>

export interface AnnounceOptions {
  /** The most messages per minute, at least 1/60. Default 60. */
  perMinute?: number
  /** Sends no message before this service time. Default: at once. */
  at?: Date
  /** The template for customers whose window is closed, or not known to be open. */
  outsideWindow?: Template
  /** The hours of a day in which messages go out, such as `['08:00', '20:00']`, in `zone`. Default: at any time. */
  between?: readonly [from: string, to: string]
  /**
   * The time zone of `between`, required with it: one for all, such as `'Africa/Dar_es_Salaam'`, a column such as
   * `'{zone}'`, or a function of the customer. Each recipient's zone is stored with the list.
   */
  zone?: string | ((customer: string) => string)
  /** Stores the list and waits for `resume()`, so that you can call `preview` and `test` first. Default false. */
  paused?: boolean
}

/**
 * `doubtful`: the service refused the message and has accepted none since, so the cause may concern all recipients.
 * `sent`: the service accepted the message, and no later status arrived. `failed`: the message was refused, or failed
 * later, or the row has no phone number. `skipped`: the customer opted out, or a person has the customer. `unknown`: it
 * is unknown whether the message was sent.
 */
export type RecipientState = StoredState

/** How many recipients are in each state. Each recipient is counted once. */
export type AnnouncementProgress = Readonly<Record<RecipientState, number>> & {
  readonly total: number
  readonly state: 'running' | 'paused' | 'cancelled' | 'done'
  /** Why it was paused, if an error paused it. Call `announce` or `resume` when the cause is fixed. */
  readonly reason: string | undefined
  /** About when the last message goes out; undefined unless the announcement is running. */
  readonly endsAbout: Date | undefined
}

export interface AnnouncedRecipient {
  /** Digits; a hash if this customer was forgotten; the given text if it is no phone number. */
  readonly to: string
  readonly state: RecipientState
  /** The reason of a refusal: the service's code, or why nothing can be sent. */
  readonly reason: string | undefined
  /** The service's explanation of the refusal. */
  readonly detail: string | undefined
  readonly at: Date | undefined
}

export interface RecipientsQuery {
  state?: RecipientState
  /** Begins after the recipient with this `to`. */
  after?: string
  /** The most recipients. Default: all. */
  limit?: number
}

export interface RetryOptions {
  /** Retries only these reasons. `'unknown'` and `'restored'`, if named, also retry messages that may have arrived. */
  reasons?: readonly string[]
  /** Also retries messages that the service accepted and that failed later, each once. */
  failedLater?: boolean
}

/** A stored announcement. It continues even if you do not keep this object. */
export interface Announcement {
  /** @throws SwitchhookError `options_invalid` if the announcement ended longer ago than `retention.ids`. */
  progress(): Promise<AnnouncementProgress>
  /** Returns the result of each recipient, in the order of their digits. */
  recipients(query?: RecipientsQuery): AsyncIterable<AnnouncedRecipient>
  /** Lets refused recipients wait again; their messages keep their keys. Returns how many recipients wait again. */
  retry(options?: RetryOptions): Promise<number>
  /** Adds recipients. Recipients who are already in the list stay unchanged. Returns how many were added. */
  add<R extends string | number | Recipient>(recipients: Recipients<R>): Promise<number>
  /** Shows what the next `count` recipients (default 5) will get: the text, or a template's name and parameters. */
  preview(count?: number): Promise<readonly { readonly to: string; readonly text: string }[]>
  /** Sends the content for the next recipient to your own number. That number does not become a recipient. */
  test(to: string): Promise<void>
  /** Sends no more until `resume`. Messages that are under way still go out. */
  pause(): Promise<void>
  /** Continues after a pause, at the same pace as before. After an error it tries one recipient first. */
  resume(): Promise<void>
  /** Sends nothing more, for good: the same key does not start it again. */
  cancel(): Promise<void>
}

export interface Announces {
  /**
   * Sends one message to many customers, at most `perMinute`. Each customer gets it once. It skips customers who opted
   * out. Resolves when all recipients are stored. Sending continues in the background, also after a restart. If the
   * process ends before all are stored, or `content` is a function, call `announce` again after the restart, with the
   * same key.
   *
   *     const content = template('sale', 'en', { body: ['{name}'] })
   *     const sale = await bot.announce(['sale', 7], contacts('customers.csv'), content, {
   *       between: ['08:00', '20:00'],
   *       zone: 'Africa/Dar_es_Salaam',
   *     })
   *     const { sent, waiting } = await sale.progress()
   *
   * @param recipients phone numbers, or rows `{ to, …columns }`.
   * @param content `{column}` in it becomes the row's value, and `{{` a brace.
   * @throws SwitchhookError `options_invalid`, `content_invalid`, `not_started`; `diverged` if the key has other
   * content.
   */
  announce<R extends string | number | Recipient>(
    key: SendKey,
    recipients: Recipients<R>,
    content: AnnouncedContent<R>,
    options?: AnnounceOptions,
  ): Promise<Announcement>
}

const CHECKS: Checks<AnnounceOptions> = {
  perMinute: expecting(
    'a number from 1/60 to 100000',
    (value) => typeof value === 'number' && value >= 1 / 60 && value <= 100_000,
  ),
  at: expecting('a Date', (value) => value instanceof Date && Number.isFinite(value.getTime())),
  outsideWindow,
  between: expecting("two different times such as ['08:00', '20:00']", (value) => hoursIn(value) !== undefined),
  zone: expecting(
    "a time zone such as 'Africa/Dar_es_Salaam', a column such as '{zone}', or a function",
    (value) =>
      typeof value === 'function' || (typeof value === 'string' && (columnOf(value) !== undefined || isZone(value))),
  ),
  paused: expecting('true or false', (value) => typeof value === 'boolean'),
}

/** How many recipients one transaction stores. */
const PORTION = 500
const PREVIEWED = 5

export class Announcements {
  readonly #deps: AnnouncementDeps
  readonly #runner: AnnouncementRunner

  constructor(deps: AnnouncementDeps, runner: AnnouncementRunner) {
    this.#deps = deps
    this.#runner = runner
  }

  async announce<R extends string | number | Recipient>(
    number: string,
    slot: string,
    recipients: Recipients<R>,
    content: AnnouncedContent<R>,
    options: AnnounceOptions,
  ): Promise<Announcement> {
    const { clock, store } = this.#deps
    checkMembers(options, 'announce()', CHECKS)
    const zoneOf = zonesOf(options)
    const make = typeof content === 'function' ? content : undefined
    if (make && !this.#deps.begins)
      throw optionsInvalid('announce(): this process sends nothing, so the content cannot be a function: pass content')
    const contents = [typeof content === 'function' ? undefined : content, options.outsideWindow]
    const [json, outside] = contents.map((one) => (one === undefined ? undefined : jsonOfContent(one)))
    const rows = await withoutMissingColumns(recipients, [json, outside])
    const now = clock.service()
    const { announcement, diverged } = await store.openAnnouncement({
      number,
      name: slot,
      content: json,
      outsideWindow: outside,
      hours: hoursOf(options),
      perHour: Math.round((options.perMinute ?? 60) * 60),
      dueAt: Math.max(now, options.at?.getTime() ?? now),
      createdAt: clock.wall(),
    })
    const { id, state } = announcement
    if (diverged)
      throw new SwitchhookError(
        'diverged',
        'announce(): an announcement with this key has other content: use another key, or the same content to continue it',
      )
    if (make && state !== 'cancelled')
      this.#runner.make(id, make as (customer: string, row: unknown) => Content | Template)
    await this.#addAll(announcement, rows, zoneOf)
    const started = await store.startAnnouncement(id, clock.wall(), { hold: options.paused === true })
    if (state === 'storing' && started === 'running') this.#deps.report.changed(announcement, 'running', undefined)
    return this.#handleOf(announcement, zoneOf)
  }

  async #addAll(
    { id, content, outsideWindow: outside, hours }: AnnouncementRow,
    recipients: AsyncIterable<unknown>,
    zoneOf: ZoneOf,
  ): Promise<number> {
    const { store, clock, sameCustomer, log } = this.#deps
    const zones = [...(hours?.zones ?? [])]
    const known = zones.length
    const waiting: NewRecipient[] = []
    let added = 0
    let invalid = 0
    let given = 0
    const storeRows = async (): Promise<AnnouncementState | undefined> => {
      if (zones.length > known) await store.keepZones(id, zones)
      const done = await store.addRecipients(id, waiting.splice(0), clock.wall())
      added += done?.added ?? 0
      return done?.state
    }
    for await (const one of recipients) {
      const row = rowOf(one, [content, outside], zones, { zoneOf, sameCustomer })
      given++
      if (row.invalid !== undefined) invalid++
      waiting.push(row)
      if (waiting.length >= PORTION && (await storeRows()) === 'cancelled') break
    }
    await storeRows()
    if (invalid > 0)
      log.warn(
        { announcement: id, rows: invalid },
        'nothing can be sent to some rows of this list: `switchhook announcement show` lists them with the reason',
      )
    const repeated = given - invalid - added
    if (repeated > 0) log.info({ announcement: id, rows: repeated }, 'some numbers were in the list already')
    return added
  }

  #handleOf(announcement: AnnouncementRow, zoneOf: ZoneOf): Announcement {
    const { store, clock } = this.#deps
    const { id, number, name } = announcement
    const change = async (to: 'running' | 'paused' | 'cancelled') =>
      void (await store.changeAnnouncement(id, to, { now: clock.wall() }))
    const first = async (count: number) => {
      const { recipients } = await store.listRecipients(id, { states: ['waiting'], limit: count })
      return recipients.map((row) => ({ row, content: contentFor(announcement, row, this.#runner.maker(id)) }))
    }
    return {
      async progress() {
        const row = await store.announcement(id)
        if (row) return await progressOf(row, { reached: () => countAllReached(store, id), serviceNow: clock.service })
        throw optionsInvalid('progress(): this announcement ended long ago, and was removed after retention.ids')
      },
      recipients: (query) => recipientsOf(id, query, this.#deps),
      retry: async (options = {}) => store.retryRecipients(id, options),
      add: async (recipients) => {
        const rows = await withoutMissingColumns(recipients, [announcement.content, announcement.outsideWindow])
        const row = (await store.announcement(id)) ?? announcement
        const added = await this.#addAll(row, rows, zoneOf)
        await store.startAnnouncement(id, clock.wall())
        return added
      },
      preview: async (count = PREVIEWED) =>
        (await first(count)).map(({ row, content }) => ({ to: row.customer, text: textOf(content, row.customer) })),
      test: async (to) => {
        const [one] = await first(1)
        if (!one) throw optionsInvalid('test(): nobody waits for this announcement, so there is no content to test')
        const slot = `announcement ${name} test ${ulid(clock.wall())}`
        const template = announcement.outsideWindow
        const fallback =
          template === undefined
            ? {}
            : { outsideWindow: contentFor({ ...announcement, content: template }, one.row, undefined) as Template }
        await this.#deps.recordSend({ number, to, content: one.content, cause: APP_CAUSE, slot, options: fallback })
      },
      pause: () => change('paused'),
      resume: () => change('running'),
      cancel: () => change('cancelled'),
    }
  }
}

// ── rows ────────────────────────────────────────────────────────────────────────────────────────────

const LONGEST_SHOWN = 30

type ZoneOf = (customer: string, row: Readonly<Record<string, unknown>>) => string

function rowOf(
  given: unknown,
  contents: readonly (string | undefined)[],
  zones: string[],
  { zoneOf, sameCustomer }: { readonly zoneOf: ZoneOf; readonly sameCustomer: SameCustomer },
): NewRecipient {
  const { to, ...columns } = isRecord(given) ? given : { to: given }
  const text = typeof to === 'string' || typeof to === 'number' || typeof to === 'bigint' ? String(to) : undefined
  // A value that is neither a number nor a row is a bug of the app, so it throws.
  if (text === undefined)
    throw optionsInvalid('announce(): expected phone numbers, or rows such as { to: "255712000101" }')
  const vars = isRecord(given) ? JSON.stringify(columns) : undefined
  try {
    const to = recipient(text)
    const customer = sameCustomer.of(to)
    for (const content of contents)
      if (content !== undefined && vars !== undefined) encodeSend(contentIn(filled(content, columns)), customer)
    const zone = zoneOf(customer, columns)
    const index = zones.indexOf(zone)
    const spelling = sameCustomer.digest !== undefined && {
      forms: sameCustomer.formsOf(customer),
      ...(to !== customer && { given: to }),
    }
    return { customer, vars, zone: index === -1 ? zones.push(zone) - 1 : index, ...spelling }
  } catch (error) {
    return { customer: customerOr(text, sameCustomer), vars, invalid: reasonOf(error) }
  }
}

function customerOr(text: string, sameCustomer: SameCustomer): string {
  try {
    return sameCustomer.of(recipient(text))
  } catch {
    return text.slice(0, LONGEST_SHOWN)
  }
}

/** Throws if the content names a column that the first row lacks, so that a typing error is found early. */
async function withoutMissingColumns(
  recipients: Recipients<unknown>,
  contents: readonly (string | undefined)[],
): Promise<AsyncIterable<unknown>> {
  const all = toAsync(recipients)
  const first = await all.next()
  if (!first.done && isRecord(first.value)) {
    const missing = contents
      .flatMap((json) => (json === undefined ? [] : columnsIn(json)))
      .find((name) => !Object.hasOwn(first.value as object, name))
    if (missing !== undefined)
      throw new SwitchhookError(
        'content_invalid',
        `announce(): the content names {${missing}}, and the rows have no such column: they have ${Object.keys(first.value).join(', ')}`,
      )
  }
  return (async function* () {
    if (first.done) return
    yield first.value
    for (let next = await all.next(); !next.done; next = await all.next()) yield next.value
  })()
}

async function* toAsync(recipients: Recipients<unknown>): AsyncGenerator<unknown, undefined> {
  yield* recipients
  return undefined
}

// ── hours ───────────────────────────────────────────────────────────────────────────────────────────

const DAY_MINUTES = 1_440

function hoursIn(value: unknown): { readonly from: number; readonly to: number } | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined
  const [from, to] = value.map(minuteOf)
  return from === undefined || to === undefined || from === to ? undefined : { from, to }
}

function minuteOf(text: unknown): number | undefined {
  const match = typeof text === 'string' ? /^([01]?\d|2[0-4]):([0-5]\d)$/.exec(text) : null
  const minute = match ? Number(match[1]) * 60 + Number(match[2]) : DAY_MINUTES + 1
  return minute <= DAY_MINUTES ? minute : undefined
}

function hoursOf({ between, zone }: AnnounceOptions): SendingHours | undefined {
  const hours = hoursIn(between)
  if (!hours) return undefined
  return { ...hours, zones: typeof zone === 'string' && columnOf(zone) === undefined ? [zone] : [] }
}

function zonesOf({ between, zone }: AnnounceOptions): ZoneOf {
  if (between === undefined) {
    if (zone !== undefined) throw optionsInvalid('announce().zone: it is the zone of `between`, which is missing')
    return () => ''
  }
  if (zone === undefined)
    throw optionsInvalid("announce().zone: `between` needs a time zone, such as 'Africa/Dar_es_Salaam'")
  const column = typeof zone === 'string' ? columnOf(zone) : undefined
  return (customer, row) => {
    const found = typeof zone === 'function' ? zone(customer) : column === undefined ? zone : row[column]
    if (typeof found === 'string' && isZone(found)) return found
    throw new SwitchhookError('content_invalid', 'the row has no time zone that is known')
  }
}

function columnOf(zone: string): string | undefined {
  return /^\{([^{}]+)\}$/.exec(zone)?.[1]?.trim()
}

function isZone(zone: string): boolean {
  try {
    localTime(zone, 0)
    return true
  } catch {
    return false
  }
}

// ── what people see ─────────────────────────────────────────────────────────────────────────────────

async function* recipientsOf(
  id: number,
  query: RecipientsQuery = {},
  { store }: Pick<AnnouncementDeps, 'store'>,
): AsyncGenerator<AnnouncedRecipient, undefined> {
  for await (const page of recipientPages(store, id, query)) for (const row of page) yield asRecipient(row)
  return undefined
}

function asRecipient({ customer, state, code, reason, at }: RecipientRow): AnnouncedRecipient {
  return {
    to: customer,
    state,
    reason: code ?? reason,
    detail: code === undefined ? undefined : reason,
    at: at === undefined ? undefined : new Date(at),
  }
}

/** Returns a content as one text, for `preview`. */
function textOf(content: Content | Template, to: string): string {
  const { type, text, template_name, template_language, template_components, ...rest } = JSON.parse(
    encodeSend(content, to),
  ) as Record<string, unknown>
  if (type === 'text') return String(text)
  if (type !== 'template') return JSON.stringify({ ...rest, to: undefined })
  const texts = JSON.stringify(template_components ?? []).matchAll(/"(?:text|payload|link)":("(?:[^"\\]|\\.)*")/g)
  const given = [...texts].map(([, value]) => JSON.parse(value as string) as string)
  return [`${String(template_name)} (${String(template_language)})`, ...given].join(' · ')
}
