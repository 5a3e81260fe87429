import type { CompiledConversation, Conversation } from '../routes/index.ts'
import type { NewConversation, OpenConversation } from '../stores/port/index.ts'
import { conversationId, enterConversation, wakeConversation } from './conversation.ts'
import { compiledFor, entryOf } from './conversation-input.ts'
import type { Slots } from './send-slots.ts'
import type { AttemptDeps, HeldConversation, RunningAttempt } from './types.ts'

/** The wish of `to(customer).enter()`, as its item has it. */
interface Wish extends Pick<NewConversation, 'name' | 'version' | 'input'> {}

/** Runs an item of the bot's own: a timer that has come due, or the wish that a customer enters a conversation. */
export async function runOwnItem(running: RunningAttempt, deps: AttemptDeps): Promise<void> {
  if (running.item.kind === 'enter') await enterByWish(bodyOf(running) as Wish, running, deps)
  else {
    const due = await dueConversation(running, deps)
    if (due) {
      running.route = due.compiled.id
      await wakeConversation(due, running, deps)
    }
  }
  await running.effects.ended()
  await running.session?.hasChanged()
}

function bodyOf({ item }: RunningAttempt): unknown {
  return JSON.parse(Buffer.from(item.delivery.body).toString('utf8'))
}

async function enterByWish(wish: Wish, running: RunningAttempt, deps: AttemptDeps): Promise<void> {
  const compiled = scriptFor(wish, running, deps)
  if (!compiled) return
  running.route = compiled.id
  const { number, customer = '', cause } = running.item
  const id = conversationId(number, cause, `enter:${wish.name}`)
  const conversation = { ...wish, id, number, customer, version: compiled.definition.version }
  await enterConversation(conversation, compiled, running, deps)
}

/** A timer that has come due, as its item has it. */
interface Due {
  readonly conversation: string
  readonly dueAt: number
}

/** The first settled wins: a timer that lost to an answer finds that the conversation waits for another time. */
async function dueConversation(running: RunningAttempt, deps: AttemptDeps): Promise<HeldConversation | undefined> {
  const open = running.item.conversation
  const due = bodyOf(running) as Due
  if (open?.id !== due.conversation || open.waits?.dueAt !== due.dueAt) return undefined
  return holdOpen(open, running, deps)
}

/** The open conversation that an item would lead on. */
export async function conversationOf(
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<HeldConversation | undefined> {
  if (running.item.kind === 'message') return openQuestion(running, deps)
  return running.item.kind === 'conversation_due' ? dueConversation(running, deps) : undefined
}

/** The customer's open conversation if it asks something, and if nobody else has the customer. */
export async function openQuestion(running: RunningAttempt, deps: AttemptDeps): Promise<HeldConversation | undefined> {
  const { conversation: open, mute } = running.item
  const isMuted = mute !== undefined && mute.since <= deps.clock.service() && deps.clock.service() < mute.until
  if (open?.waits?.for !== 'answer' || isMuted) return undefined
  return holdOpen(open, running, deps)
}

async function holdOpen(
  open: OpenConversation,
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<HeldConversation | undefined> {
  const compiled = scriptFor(open, running, deps)
  const { conversation, steps } = await deps.store.journalOf(open.id)
  if (!conversation) return undefined
  if (compiled) return { conversation, compiled, steps, waits: open.waits }
  running.conversations = [{ id: open.id, next: { ended: 'changed' } }]
  return undefined
}

/** The time in which a process with a newer script may come: a deploy is over by its end. */
const NEWER_MAY_COME_MS = 10 * 60_000
const ASK_EVERY_MS = 1_000

/**
 * The script of this process for a conversation. One that is newer, or unknown here, is left to a process that has its
 * script; if none comes, the conversation has changed: undefined if it is unknown.
 *
 * @throws LeftToOthers
 */
function scriptFor(
  { name, version }: Pick<NewConversation, 'name' | 'version'>,
  { item }: RunningAttempt,
  { routes, clock, log }: AttemptDeps,
): CompiledConversation | undefined {
  const compiled = routes.conversations.get(name)
  if (compiled && version <= compiled.definition.version) return compiled
  const waited = clock.wall() - item.createdAt
  if (waited >= 0 && waited < NEWER_MAY_COME_MS) throw new LeftToOthers(ASK_EVERY_MS)
  log.error(
    { conversation: name, version, known: compiled?.definition.version, delivery: item.delivery.deliveryId },
    'a conversation was entered by a script that no process has any more: it is taken for a changed one',
  )
  return compiled
}

/** Thrown to give the item back to the processes that have the script of its conversation. */
export class LeftToOthers extends Error {
  readonly waitMs: number

  constructor(waitMs: number) {
    super('the conversation is left to a process that has its script')
    this.waitMs = waitMs
  }
}

/** Enters a conversation from a handler. */
export async function enterFromHandler(
  made: Conversation<never>,
  input: unknown,
  slots: Slots,
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<void> {
  const entry = entryOf(made, input, deps.routes)
  const { number, customer = '', cause } = running.item
  const id = conversationId(number, cause, slots.next(`enter:${entry.name}`))
  await enterConversation({ ...entry, id, number, customer }, compiledFor(made, deps.routes), running, deps)
}
