import { endsWithin } from '../../base/clock.ts'
import { optionsInvalid, reasonOf, SwitchhookError } from '../../base/errors.ts'
import { type Checks, checkMembers, expecting } from '../option-checks.ts'
import { ApiError, keyFrom } from '../../client/client.ts'
import { contentIn, jsonOfContent } from '../../service/wire.ts'
import type { Content, Template } from '../../service/content.ts'
import { recipient } from '../../service/recipient.ts'
import { LEASE_MS } from '../lanes/lease.ts'
import type { AnnouncementRow, EndedRecipient, RecipientEnd } from '../../store/types/types.ts'
import { APP_CAUSE, NOT_RUNNING, slotOfRecipient } from '../../store/rules/sends.ts'
import type { SendIntent } from './record-send.ts'
import { AttemptOver, OutsideWindow, type SendResult } from './send.ts'
import { outsideWindow } from './send-options.ts'
import type { SendDeps } from './send-types.ts'

/** Content for all recipients, or a function that makes it for each. */
export type AnnouncedContent = Content | Template | ((customer: string) => Content | Template)

export interface AnnounceOptions {
  /** The most messages per minute, from 1/60. Default 60. */
  perMinute?: number
  /** Nothing goes out before this service time. Default: at once. */
  at?: Date
  /** The template for customers whose window is not known to be open. Free text is not tried first. */
  outsideWindow?: Template
}

export interface AnnouncementProgress {
  /** Recipients, each counted once. */
  readonly total: number
  /** Accepted by the service. */
  readonly sent: number
  /** Refused, without a known outcome, or no phone number. `switchhook outbox ls` shows why. */
  readonly failed: number
  /** `takenOver`: a person, or the service's agent, had the customer. */
  readonly skipped: { readonly optedOut: number; readonly takenOver: number }
  readonly waiting: number
  readonly state: 'running' | 'paused' | 'cancelled' | 'done'
  /** Why it was paused, if an error paused it. Call `announce` or `resume` when the cause is fixed. */
  readonly reason: string | undefined
}

/** An announcement that is stored. It continues whether or not you keep this handle. */
export interface Announcement {
  /** @throws SwitchhookError `options_invalid` if it ended longer ago than `retention.ids`. */
  progress(): Promise<AnnouncementProgress>
  /** Messages that are under way still go out. No effect unless it is running. */
  pause(): Promise<void>
  /** Continues after a pause. What was missed meanwhile is not made up for in a burst. */
  resume(): Promise<void>
  /** Sends nothing more, for good: the same key does not start it again. */
  cancel(): Promise<void>
}

interface Deps extends Pick<SendDeps, 'store' | 'lease' | 'begins' | 'oneBusiness' | 'clock' | 'timers' | 'log'> {
  recordSend(intent: SendIntent): Promise<SendResult>
}

const CHECKS: Checks<AnnounceOptions> = {
  perMinute: expecting(
    'a number from 1/60 to 100000',
    (value) => typeof value === 'number' && value >= 1 / 60 && value <= 100_000,
  ),
  at: expecting('a Date', (value) => value instanceof Date && Number.isFinite(value.getTime())),
  outsideWindow,
}

/** Recipients in one transaction. */
const PORTION = 500
/** Recipients of an announcement that are under way, so that a number that cannot send begins no more. */
const MOST_UNDER_WAY = 64
const ASK_AGAIN_MS = 10_000
const LOOK_EVERY_MS = 15_000
/** While announcements are under way here: a pause may come from another process. */
const LOOK_OFTEN_MS = 1_000

interface Job {
  readonly row: AnnouncementRow
  after: string
  underWay: number
  /** Paused, ended, or another process's. */
  isOver: boolean
}

/**
 * Stores announcements, and sends them to their recipients at their pace. The key of each message is made of the
 * announcement's key and the recipient, so it goes out once, whichever process asks for it, and however often.
 */
export function createAnnouncements(deps: Deps) {
  const { store, lease, clock, timers, log } = deps
  const jobs = new Map<number, Job>()
  const functions = new Map<number, (customer: string) => Content | Template>()
  const underWay = new Set<Promise<void>>()
  const resting = new Set<() => void>()
  let looking: Promise<void> | undefined
  let looksAgain = false
  let failing = false
  let stopped = false
  let cancelLook = () => {}

  async function announce(
    number: string,
    slot: string,
    recipients: AsyncIterable<string> | Iterable<string>,
    content: AnnouncedContent,
    options: AnnounceOptions,
  ): Promise<Announcement> {
    checkMembers(options, 'announce()', CHECKS)
    const make = typeof content === 'function' ? content : undefined
    if (make && !deps.begins)
      throw optionsInvalid('announce(): this process sends nothing, so the content cannot be a function: pass content')
    const now = clock.service()
    const { announcement, diverged } = await store.openAnnouncement({
      number,
      name: slot,
      content: typeof content === 'function' ? undefined : jsonOfContent(content),
      outsideWindow: options.outsideWindow && jsonOfContent(options.outsideWindow),
      perHour: Math.round((options.perMinute ?? 60) * 60),
      dueAt: Math.max(now, options.at?.getTime() ?? now),
      createdAt: clock.wall(),
    })
    const { id } = announcement
    if (diverged)
      throw new SwitchhookError(
        'diverged',
        'announce(): an announcement with this key has other content: use another key, or the same content to continue it',
      )
    if (make && announcement.state !== 'cancelled') functions.set(id, make)
    await addAll(id, recipients)
    await store.startAnnouncement(id, clock.wall())
    return handleOf(id)
  }

  async function addAll(id: number, recipients: AsyncIterable<string> | Iterable<string>): Promise<void> {
    const customers: string[] = []
    const wrong: string[] = []
    const add = async () => {
      if (wrong.length > 0) await store.addRecipients(id, wrong.splice(0), 'failed')
      return store.addRecipients(id, customers.splice(0))
    }
    for await (const to of recipients) {
      const digits = digitsOrUndefined(to)
      if (digits === undefined) wrong.push(to.slice(0, LONGEST_SHOWN))
      else customers.push(digits)
      if (customers.length + wrong.length >= PORTION && (await add()) === 'cancelled') return
    }
    await add()
  }

  function handleOf(id: number): Announcement {
    const change = async (to: 'running' | 'paused' | 'cancelled') =>
      void (await store.changeAnnouncement(id, to, { now: clock.wall() }))
    return {
      async progress() {
        const row = await store.announcement(id)
        if (row) return progressOf(row)
        throw optionsInvalid('progress(): this announcement ended long ago, and was removed after retention.ids')
      },
      pause: () => change('paused'),
      resume: () => change('running'),
      cancel: () => change('cancelled'),
    }
  }

  function look(): void {
    if (stopped || !deps.begins) return
    if (looking) looksAgain = true
    else looking = lookNow()
  }

  async function lookNow(): Promise<void> {
    cancelLook()
    let nextAt: number | undefined
    try {
      do {
        looksAgain = false
        nextAt = await claim()
        failing = false
      } while (looksAgain && !stopped)
    } catch (error) {
      // Logged once per outage.
      if (!failing) log.error({ err: error }, 'looking for announcements failed; it is tried again')
      failing = true
      nextAt = clock.service() + LOOK_OFTEN_MS
    }
    looking = undefined
    const longest = jobs.size > 0 || nextAt !== undefined ? LOOK_OFTEN_MS : LOOK_EVERY_MS
    const wait = nextAt === undefined ? longest : Math.min(longest, Math.max(1, nextAt - clock.service()))
    if (!stopped) cancelLook = timers.after(wait, look)
  }

  async function claim(): Promise<number | undefined> {
    const { name } = lease
    const claimed = await store.claimRecipients({
      processName: name,
      now: clock.wall(),
      leaseMs: LEASE_MS,
      serviceNow: clock.service(),
      room: MOST_UNDER_WAY,
      worked: [...jobs].map(([id, job]) => ({ id, after: job.after, room: MOST_UNDER_WAY - job.underWay })),
      functions: [...functions.keys()],
      anyNumber: deps.oneBusiness,
    })
    if (claimed.dead) lease.lost(name)
    for (const id of claimed.over) end(id)
    if (stopped) return undefined
    for (const { announcement, customers } of claimed.portions) {
      const job = jobs.get(announcement.id) ?? { row: announcement, after: '', underWay: 0, isOver: false }
      jobs.set(announcement.id, job)
      // Who was added since may come before the last that was claimed.
      job.after = customers.at(-1) ?? (job.underWay === 0 ? '' : job.after)
      for (const customer of customers) begin(job, customer)
    }
    return claimed.nextAt
  }

  function end(id: number): void {
    const job = jobs.get(id)
    if (!job) return
    job.isOver = true
    jobs.delete(id)
    for (const wake of resting) wake()
  }

  function begin(job: Job, customer: string): void {
    job.underWay++
    const task = deliver(job, customer)
      .catch((error: unknown) => {
        if (!stopped) log.error({ err: error }, 'a recipient of an announcement was not settled')
      })
      .then(() => {
        const wasFull = job.underWay-- >= MOST_UNDER_WAY
        underWay.delete(task)
        if (wasFull) look()
      })
    underWay.add(task)
  }

  async function deliver(job: Job, customer: string): Promise<void> {
    for (let isFirst = true; !stopped && !job.isOver; isFirst = false) {
      if (!isFirst) await rest(job)
      const outcome = job.isOver ? 'over' : await attempt(job, customer)
      if (outcome === 'over') return
      if (outcome) return settle(job, { customer, end: outcome })
    }
  }

  /** `over`: the announcement or the customer waits for no message now. Undefined if it waits in the outbox, or failed. */
  async function attempt(job: Job, customer: string): Promise<RecipientEnd | 'over' | undefined> {
    try {
      const result = await deps.recordSend(intentFor(job.row, customer))
      const isCancelled = result.via === 'stored' && result.send.state === 'cancelled'
      return isCancelled ? await endOfCancelled(job.row, customer) : endOf(result)
    } catch (error) {
      if (error instanceof AttemptOver) return 'over'
      if (isAboutOne(error)) return 'failed'
      if (PAUSING.has(codeOf(error))) await pauseFor(job, error)
      else if (codeOf(error) === undefined) log.error({ err: error }, 'a message of an announcement is tried again')
      return undefined
    }
  }

  /** A person cancelled this message; or all of them, with a pause, and after it this one is recorded again. */
  async function endOfCancelled({ number, name }: AnnouncementRow, to: string): Promise<RecipientEnd | 'over'> {
    const send = await store.findSend({ key: keyFrom(number, APP_CAUSE, slotOfRecipient(name, to)) })
    return send?.state === 'cancelled' && send.reason !== NOT_RUNNING ? 'failed' : 'over'
  }

  /** All others would fail in the same way. */
  async function pauseFor(job: Job, error: unknown): Promise<void> {
    const { id } = job.row
    const reason = reasonOf(error)
    if (await store.changeAnnouncement(id, 'paused', { now: clock.wall(), reason }))
      log.error({ err: error, announcement: id }, 'an announcement is paused: fix the cause, then resume it')
    end(id)
  }

  function intentFor(row: AnnouncementRow, customer: string): SendIntent {
    const { number, name, content, outsideWindow: template } = row
    return {
      number,
      to: customer,
      content: content === undefined ? made(row.id, customer) : contentIn(content),
      cause: APP_CAUSE,
      slot: slotOfRecipient(name, customer),
      announcement: row.id,
      mayDiverge: true,
      options: { kind: 'marketing', ...(template !== undefined && { outsideWindow: contentIn(template) as Template }) },
    }
  }

  /** @throws SwitchhookError `content_invalid` if the app's function threw. */
  function made(id: number, customer: string): Content | Template {
    try {
      return (functions.get(id) as (customer: string) => Content | Template)(customer)
    } catch (cause) {
      // Its own message may name the customer, and the reason is stored.
      throw new SwitchhookError('content_invalid', 'the function that makes the content threw an error', { cause })
    }
  }

  async function settle(job: Job, ended: EndedRecipient): Promise<void> {
    const { id } = job.row
    try {
      if ((await store.endRecipients(id, [ended], clock.wall())) !== 'done') return
      functions.delete(id)
      end(id)
    } catch (error) {
      if (stopped) throw error
      await rest(job)
      await settle(job, ended)
    }
  }

  function rest(job: Job): Promise<void> {
    return new Promise((resolve) => {
      const over = () => {
        cancel()
        resting.delete(over)
        resolve()
      }
      const cancel = timers.after(ASK_AGAIN_MS, over)
      resting.add(over)
      if (stopped || job.isOver) over()
    })
  }

  async function stop(drainMs: number): Promise<void> {
    stopped = true
    cancelLook()
    for (const wake of resting) wake()
    await endsWithin(drainMs, timers, Promise.all([looking, ...underWay]))
    if (deps.begins && jobs.size > 0) await store.releaseAnnouncements(lease.name).catch(() => {})
  }

  return { announce, wake: look, stop }
}

const LONGEST_SHOWN = 30

function digitsOrUndefined(to: string): string | undefined {
  try {
    return recipient(to)
  } catch (error) {
    // A list of numbers is a bug of the app, and no bad row.
    if (typeof (to as unknown) !== 'string') throw error
    return undefined
  }
}

function endOf(result: SendResult): RecipientEnd | undefined {
  if (result.via === 'skipped') return result.why === 'opted_out' ? 'opted_out' : 'taken_over'
  if (result.via !== 'stored') return 'sent'
  return result.send.state === 'unknown' || result.send.state === 'dropped' ? 'failed' : undefined
}

/** These errors concern every recipient. */
const PAUSING: ReadonlySet<unknown> = new Set(['template_unsendable', 'content_invalid', 'no_access_token'])

function isAboutOne(error: unknown): boolean {
  return error instanceof ApiError || error instanceof OutsideWindow || codeOf(error) === 'recipient_not_allowed'
}

function codeOf(error: unknown): unknown {
  return error instanceof SwitchhookError ? error.code : undefined
}

function progressOf(row: AnnouncementRow): AnnouncementProgress {
  const { total, sent, failed, optedOut, takenOver, state, reason } = row
  return {
    total,
    sent,
    failed,
    skipped: { optedOut, takenOver },
    waiting: total - sent - failed - optedOut - takenOver,
    state: state === 'storing' ? 'running' : state,
    reason,
  }
}
