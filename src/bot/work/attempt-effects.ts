import { SwitchhookError } from '../../base/errors.ts'
import { packResult, unpackResult } from './json-value.ts'
import { AttemptOver, type SendResult } from '../outbox/send.ts'
import { recordSend, type SendIntent } from '../outbox/record-send.ts'
import { checkedReply, type ReplyOptions } from '../outbox/send-options.ts'
import { type AttemptDeps, type RunningAttempt, type Slots, trackedInScope } from './running-attempt.ts'

/** See `ctx.reply`. A reply without a name gets its slot from the order of the calls. */
export function reply(
  running: RunningAttempt,
  slots: Slots,
  content: SendIntent['content'],
  given: ReplyOptions,
): Promise<SendResult> {
  return runEffect(running, async () => {
    const options = checkedReply(given)
    return recordReply(running, { content, options, slot: slots.next('reply', options.slot) })
  })
}

/** @throws SwitchhookError `recipient_not_confirmed` */
export async function recordReply(
  running: RunningAttempt,
  message: Pick<SendIntent, 'content' | 'slot' | 'options' | 'isQuestion'> & { readonly cause?: string },
): Promise<SendResult> {
  const { item, facts } = running
  checkConfirmed(running)
  await whilePersonMayWrite(running)
  const expiresAt = running.deps.staleAfterMs === undefined ? undefined : item.at + running.deps.staleAfterMs
  return recordFromHandler(running, {
    to: facts.values.customer ?? item.customer ?? '',
    ...message,
    reply: { expiresAt },
  })
}

const LONGEST_DOUBT_MS = 5_000
const LOOKS_AGAIN_MS = 200

/**
 * Waits while the bot does not know who wrote a message of the number, because a send is under way. If a person wrote
 * it, a handler of `message.sent` may hand the customer over.
 */
async function whilePersonMayWrite({ item, deps, clock }: RunningAttempt): Promise<void> {
  const { number, customer } = item
  if (customer === undefined || !deps.routes.events.some(({ event }) => event === 'message.sent')) return
  for (;;) {
    const since = await deps.store.sentEventSince({ number, customer })
    const left = since === undefined ? 0 : since + LONGEST_DOUBT_MS - deps.clock.wall()
    // Do not wait if `left` is too large, because then the clock has gone back.
    if (left <= 0 || left > LONGEST_DOUBT_MS) return
    await new Promise<void>((resolve) => void deps.timers.after(Math.min(left, LOOKS_AGAIN_MS), resolve))
    clock.check()
  }
}

/** @throws SwitchhookError `recipient_not_confirmed` */
export function checkConfirmed({ item, facts, deps }: RunningAttempt): void {
  // Other items that can reply, such as timers, were made by the bot itself, so their customer is known.
  const isSure =
    (item.kind !== 'message' && item.kind !== 'signal') ||
    (deps.answersGuessed ? facts.sure : facts.mapped).includes('customer')
  if (isSure) return
  const why = deps.answersGuessed ? '' : " (replies: 'mapped' answers only customers that the option facts maps)"
  throw new SwitchhookError(
    'recipient_not_confirmed',
    `the payload does not say for certain who wrote${why}, so nothing is sent: the delivery is parked, which is kept and not answered`,
  )
}

/** Records a message of a handler, under the fence of the handler's attempt. `cause`: by default the item's. */
export function recordFromHandler(
  { item, fence, reruns, deps }: RunningAttempt,
  message: Omit<SendIntent, 'number' | 'cause' | 'delivery' | 'fence' | 'mayDiverge'> & { readonly cause?: string },
): Promise<SendResult> {
  const { number, delivery } = item
  const own = { number, delivery: delivery.deliveryId, fence, mayDiverge: reruns > 0 }
  return recordSend({ cause: item.cause, ...message, ...own }, deps.outbox)
}

/** Runs an effect, which is refused once the attempt has ended. Waiting for it does not count towards the deadline. */
export function runEffect<T>(running: RunningAttempt, run: () => Promise<T>): Promise<T> {
  return trackEffect(running, () => running.clock.paused(run))
}

/** Makes the attempt wait for this work. If the attempt has ended, only the log reports that. */
export function trackEffect<T>(running: RunningAttempt, work: () => Promise<T>): Promise<T> {
  if (running.clock.isFinished())
    running.deps.log.warn(
      { delivery: running.item.delivery.deliveryId, attempt: running.item.attempt },
      'a handler began something after it had returned, such as a reply in a callback: it had no effect, and nobody runs it again; await what a handler begins before it returns',
    )
  return running.effects.begin(() => trackedInScope(running, work))
}

/** See `ctx.once`. @throws AttemptOver, and SwitchhookError `options_invalid` if the result has no JSON form. */
export async function once<T>(
  { item, fence, clock }: Pick<RunningAttempt, 'item' | 'fence' | 'clock'>,
  { store }: Pick<AttemptDeps, 'store'>,
  name: string,
  run: () => T | Promise<T>,
): Promise<T> {
  const known = await store.onceResult(item.id, name)
  if (known !== undefined) return unpackResult(known) as T
  clock.check()
  const packed = packResult(name, await run())
  clock.check()
  // While the disk is full, this call ends at the deadline. The store keeps trying, and stores the result later.
  if (!(await clock.race(store.keepOnce(fence, item.id, name, packed)))) throw new AttemptOver()
  // Return the result that JSON makes of it, because a rerun gets that one too.
  return unpackResult(packed) as T
}
