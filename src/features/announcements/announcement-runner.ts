import { endsWithin } from '../../base/clock.ts'
import { isA, reasonOf, SwitchhookError } from '../../base/errors.ts'
import { ApiError, keyFrom } from '../../client/client.ts'
import type { Content, Template } from '../../service/content.ts'
import type { EndedRecipient, RecipientPlace } from './store/announcement-work.ts'
import { isAwaiting, type AnnouncementRow } from './store/announcement-rows.ts'
import { APP_CAUSE } from '../../store/outbox/send-rules.ts'
import { NOT_RUNNING, slotOfRecipient } from './store/slots.ts'
import type { BuiltInDeps } from '../../bot/feature.ts'
import { LEASE_MS } from '../../store/work/lanes.ts'
import { Polling } from '../../bot/lanes/polling.ts'
import type { SendIntent } from '../../bot/outbox/record-send.ts'
import { AttemptOver, type SendResult } from '../../bot/outbox/send.ts'
import { contentIn } from './stored-content.ts'
import { filled } from './variables.ts'

export interface AnnouncementDeps extends Omit<BuiltInDeps, 'observers' | 'guard'> {
  readonly report: AnnouncementReport
}

export interface AnnouncementReport {
  /** Reports that the announcement has started, was paused by an error, or is done. */
  changed(row: AnnouncementRow, state: 'running' | 'paused' | 'done', reason: string | undefined): void
}

/** The most messages of an announcement that are under way, or wait until their number can send, at a time. */
const MOST_UNDER_WAY = 64
const ASK_AGAIN_MS = 10_000
const LOOK_EVERY_MS = 15_000
/** How often announcements are read while messages are under way. Another process may have paused an announcement. */
const LOOK_OFTEN_MS = 1_000

interface Job {
  readonly row: AnnouncementRow
  after: RecipientPlace | undefined
  underWay: number
  /** True if the announcement is paused or has ended, or another process sends it. */
  isOver: boolean
}

interface To {
  readonly customer: string
  /** The app's spelling of the number, if it differs from the stored one. */
  readonly given?: string | undefined
  readonly vars: string | undefined
  readonly resends?: number
}

type Maker = (customer: string, row: unknown) => Content | Template

/**
 * Sends announcements to their recipients at the set pace. A message's key is derived from the announcement's key and
 * the recipient. So a message goes out once, whichever process sends it and however often the app announces.
 */
export class AnnouncementRunner {
  readonly #deps: AnnouncementDeps
  readonly #jobs = new Map<number, Job>()
  readonly #functions = new Map<number, Maker>()
  readonly #underWay = new Set<Promise<void>>()
  readonly #resting = new Set<() => void>()
  readonly #polls: Polling

  constructor(deps: AnnouncementDeps) {
    this.#deps = deps
    const failure = 'looking for announcements failed; it is tried again'
    this.#polls = new Polling({ ...deps, poll: () => this.#poll(), failure })
  }

  wake(): void {
    if (this.#deps.begins) this.#polls.wake()
  }

  async stop(drainMs: number): Promise<void> {
    const { timers, store, lease } = this.#deps
    const lastPoll = this.#polls.stop()
    for (const wake of this.#resting) wake()
    await endsWithin(drainMs, timers, Promise.all([lastPoll, ...this.#underWay]))
    if (this.#deps.begins && this.#jobs.size > 0) await store.releaseAnnouncements(lease.name).catch(() => {})
  }

  /** Registers the function that makes the content of an announcement in this process. */
  make(id: number, maker: Maker): void {
    this.#functions.set(id, maker)
  }

  maker(id: number): Maker | undefined {
    return this.#functions.get(id)
  }

  async #poll(): Promise<number> {
    const nextAt = await this.#claim()
    const isBusy = [...this.#jobs.values()].some((job) => job.underWay > 0)
    const longest = isBusy ? LOOK_OFTEN_MS : LOOK_EVERY_MS
    return nextAt === undefined ? longest : Math.min(longest, Math.max(1, nextAt - this.#deps.clock.service()))
  }

  async #claim(): Promise<number | undefined> {
    const { lease, store, clock } = this.#deps
    const { name } = lease
    const claimed = await store.claimRecipients({
      processName: name,
      now: clock.wall(),
      leaseMs: LEASE_MS,
      serviceNow: clock.service(),
      room: MOST_UNDER_WAY,
      worked: [...this.#jobs].map(([id, job]) => ({ id, after: job.after, room: MOST_UNDER_WAY - job.underWay })),
      functions: [...this.#functions.keys()],
      anyNumber: this.#deps.oneBusiness,
    })
    if (claimed.dead) lease.wasDeclaredDead(name)
    for (const id of claimed.over) this.#end(id)
    if (this.#polls.isStopped) return undefined
    for (const { announcement, recipients } of claimed.portions) {
      const job = this.#jobs.get(announcement.id) ?? { row: announcement, after: undefined, underWay: 0, isOver: false }
      this.#jobs.set(announcement.id, job)
      // If nothing is under way, the next claim begins at the start of the list. Recipients who were added later, or
      // wait again, may come before the last claimed one.
      job.after = recipients.at(-1) ?? (job.underWay === 0 ? undefined : job.after)
      for (const recipient of recipients) this.#begin(job, recipient)
    }
    return claimed.nextAt
  }

  #end(id: number): void {
    const job = this.#jobs.get(id)
    if (!job) return
    job.isOver = true
    this.#jobs.delete(id)
    for (const wake of this.#resting) wake()
  }

  #begin(job: Job, recipient: To): void {
    const { log } = this.#deps
    job.underWay++
    const task = this.#deliver(job, recipient)
      .catch((error: unknown) => {
        if (!this.#polls.isStopped) log.error({ err: error }, 'a recipient of an announcement was not settled')
      })
      .then(() => {
        const wasFull = job.underWay-- >= MOST_UNDER_WAY
        this.#underWay.delete(task)
        if (wasFull) this.wake()
      })
    this.#underWay.add(task)
  }

  async #deliver(job: Job, to: To): Promise<void> {
    for (let isFirst = true; !this.#polls.isStopped && !job.isOver; isFirst = false) {
      if (!isFirst) await this.#rest(job)
      const outcome = job.isOver ? 'over' : await this.#attempt(job, to)
      if (outcome === 'over') return
      if (outcome) return this.#settle(job, { customer: to.customer, ...outcome })
    }
  }

  /**
   * Tries to send a message. Returns `over` if the announcement does not send to this customer now, for example while
   * it is paused. Returns undefined if the message waits in the outbox, or must be tried again.
   */
  async #attempt(job: Job, to: To): Promise<Outcome | 'over' | undefined> {
    const { log } = this.#deps
    try {
      const result = await this.#deps.recordSend(this.#intentFor(job.row, to))
      const isCancelled = result.via === 'stored' && result.send.state === 'cancelled'
      return isCancelled ? await this.#outcomeOfCancelled(job.row, to) : outcomeOf(result)
    } catch (error) {
      if (isA(error, AttemptOver)) return 'over'
      const code = codeOf(error)
      if (code === 'no_access_token') await this.#pauseFor(job, error)
      if (CONCERN_TEMPLATE.has(code)) this.#deps.templates(job.row.number).expire()
      if (isA(error, ApiError) || REFUSALS.has(code))
        return {
          end: 'refused',
          code: code ?? 'refused',
          reason: reasonOf(error),
          send: await this.#sendIdOf(job.row, to),
        }
      if (code === undefined) log.error({ err: error }, 'a message of an announcement is tried again')
      return undefined
    }
  }

  /**
   * If a person cancelled this message, it counts as refused. If a pause cancelled it, it is sent when the announcement
   * continues.
   */
  async #outcomeOfCancelled(row: AnnouncementRow, to: To): Promise<Outcome | 'over'> {
    const { store } = this.#deps
    const send = await store.findSend({ key: keyOf(row, to) })
    return send?.state === 'cancelled' && send.reason !== NOT_RUNNING ? { end: 'refused', code: 'cancelled' } : 'over'
  }

  async #sendIdOf(row: AnnouncementRow, to: To): Promise<string | undefined> {
    const { store } = this.#deps
    return (await store.findSend({ key: keyOf(row, to) }))?.id
  }

  /** Pauses an announcement whose number cannot send to anybody. */
  async #pauseFor(job: Job, error: unknown): Promise<void> {
    const { store, clock } = this.#deps
    const { row } = job
    const reason = reasonOf(error)
    if (await store.stopAnnouncement(row.id, { now: clock.wall(), reason }))
      this.#deps.report.changed(row, 'paused', reason)
    this.#end(row.id)
  }

  #intentFor(row: AnnouncementRow, to: To): SendIntent {
    const { number, outsideWindow: template } = row
    const { customer, given = customer, resends } = to
    return {
      number,
      to: given,
      content: contentFor(row, to, this.#functions.get(row.id)),
      cause: APP_CAUSE,
      slot: slotOfRecipient(row.name, customer, resends),
      ofList: {
        isWanted: (customer) => isAwaiting(row.id, customer),
        unwanted: 'its announcement waits for no message to this customer',
      },
      mayDiverge: true,
      options: {
        kind: 'marketing',
        ...(template !== undefined && {
          outsideWindow: contentFor({ ...row, content: template }, to, undefined) as Template,
        }),
      },
    }
  }

  async #settle(job: Job, ended: EndedRecipient): Promise<void> {
    const { store, clock } = this.#deps
    const { row } = job
    try {
      const now = await store.endRecipients(row.id, [ended], clock.wall())
      if (now?.state === 'done') this.#functions.delete(row.id)
      if (now?.state === 'done' || now?.state === 'paused') this.#end(row.id)
      if (now?.changed && (now.state === 'done' || now.state === 'paused'))
        this.#deps.report.changed(row, now.state, now.reason)
    } catch (error) {
      if (this.#polls.isStopped) throw error
      await this.#rest(job)
      await this.#settle(job, ended)
    }
  }

  #rest(job: Job): Promise<void> {
    const { timers } = this.#deps
    return new Promise((resolve) => {
      const over = () => {
        cancel()
        this.#resting.delete(over)
        resolve()
      }
      const cancel = timers.after(ASK_AGAIN_MS, over)
      this.#resting.add(over)
      if (this.#polls.isStopped || job.isOver) over()
    })
  }
}

type Outcome = Omit<EndedRecipient, 'customer'>

function keyOf({ number, name }: AnnouncementRow, { customer, resends }: To): string {
  return keyFrom(number, APP_CAUSE, slotOfRecipient(name, customer, resends))
}

/** @throws SwitchhookError `content_invalid` if the row lacks a value, or the app's function threw. */
export function contentFor(
  { content }: Pick<AnnouncementRow, 'content'>,
  { customer, vars }: Pick<To, 'customer' | 'vars'>,
  maker: Maker | undefined,
): Content | Template {
  const columns = vars === undefined ? undefined : (JSON.parse(vars) as Record<string, unknown>)
  if (content !== undefined) return contentIn(columns ? filled(content, columns) : content)
  if (!maker) throw new SwitchhookError('content_invalid', 'a function makes this content, and this process has none')
  try {
    return maker(customer, columns ? { to: customer, ...columns } : customer)
  } catch (cause) {
    // Don't store the message of the app's own error: it may contain the customer's name.
    throw new SwitchhookError('content_invalid', 'the function that makes the content threw an error', { cause })
  }
}

function outcomeOf(result: SendResult): Outcome | undefined {
  if (result.via === 'skipped') return { end: result.why === 'opted_out' ? 'opted_out' : 'silent' }
  const { id, state } = result.send
  if (result.via !== 'stored') return { end: 'sent', send: id }
  if (state === 'unknown') return { end: 'unknown', code: 'unknown', send: id }
  return state === 'dropped' ? { end: 'refused', code: 'dropped', send: id } : undefined
}

/** Refusals that may concern one recipient or all recipients. The outcomes of the next recipients show which. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  'outside_window',
  'recipient_not_allowed',
  'template_unsendable',
  'content_invalid',
])
const CONCERN_TEMPLATE: ReadonlySet<unknown> = new Set(['invalid_template', 'template_not_found'])

function codeOf(error: unknown): string | undefined {
  return isA(error, SwitchhookError) || isA(error, ApiError) ? error.code : undefined
}
