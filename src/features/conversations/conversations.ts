import { isA } from '../../base/errors.ts'
import { packResult } from '../../bot/work/json-value.ts'
import { validateSync } from '../../bot/standard-schema.ts'
import { keyFrom } from '../../client/client.ts'
import type { Content } from '../../service/content.ts'
import { answerTo, type Question, UNASKED } from './question.ts'
import type { Halt } from './replay.ts'
import { type ScriptEffects, ScriptRun } from './script-run.ts'
import { LeftToOthers, withinScope, type RunningAttempt, slotsOf } from '../../bot/work/running-attempt.ts'
import { recordFromHandler, recordReply, runEffect } from '../../bot/work/attempt-effects.ts'
import { ContextOfCustomer, logOf, sessionOfAttempt } from '../../bot/work/handler-context.ts'
import type { ChangesOfFeatures } from '../../store/database/effects-of-features.ts'
import { checkedReply, checkedSchedule, slotOf } from '../../bot/outbox/send-options.ts'
import { AttemptOver, OutsideWindow, type SendResult } from '../../bot/outbox/send.ts'
import type { Message } from '../../bot/routes/context.ts'
import type { EndReason, SayOptions } from './conversation.ts'
import { isInForce } from '../../store/database/silence.ts'
import { APP_CAUSE } from '../../store/outbox/send-rules.ts'
import { type CompiledConversation, compiledFor, compiledNamed, entryOf } from './entry.ts'
import type { ConversationChange, JournalStep, NewConversation } from './store/conversation-rows.ts'
import { nextTimeOf, type OpenConversation, type Waits } from './store/open-conversation.ts'

export interface LoadedConversation {
  readonly conversation: NewConversation
  readonly compiled: CompiledConversation
  readonly steps: readonly JournalStep[]
  readonly waits: Waits | undefined
}

async function enterConversation(
  conversation: NewConversation,
  compiled: CompiledConversation,
  running: RunningAttempt,
): Promise<void> {
  // An earlier attempt may have stored steps, and may have run another version of the script.
  const { conversation: kept, steps } = await running.deps.store.journalOf(conversation.id)
  const isSame = kept === undefined || kept.version === conversation.version
  const script = isSame ? await startScript({ conversation, compiled, steps, waits: undefined }, running) : undefined
  if (!script || script.halt.as === 'changed') {
    const id = conversationId(conversation.number, conversation.id, 'restart')
    return enterConversation({ ...conversation, id }, compiled, running)
  }
  change(running, { opens: conversation, ...(await script.change(script.halt)) })
}

/** Continues the open conversation. Returns false if the messages do not answer it. Then the routes handle them. */
export async function answerConversation(
  loaded: LoadedConversation,
  messages: readonly Message[],
  running: RunningAttempt,
): Promise<boolean> {
  const at = await atQuestion(loaded, running)
  const { isCancelWord, passesThrough } = at ? at.halt.of : loaded.compiled.definition
  const texts = messages.flatMap(({ text }) => text ?? [])
  if (texts.some(isCancelWord)) return ended(loaded, 'cancelled', running)
  if (texts.some(passesThrough)) return false
  if (!at) return changed(loaded, running)
  const { script, halt } = at
  if (isOfOtherSend(running, loaded.conversation.id, halt.step)) return false
  if (!running.tap && isOldTap(halt, messages, loaded, running)) return false
  const answering = await script.within(() => answerTo(halt.question, messages))
  if (answering.as === 'elsewhere') return false
  if (loaded.steps.find(({ step }) => step === halt.step)?.result === UNASKED)
    return askedNow(loaded, halt, script, running)
  if (answering.as === 'invalid') return triedAgain(loaded, halt, script, running)
  await moveOn(loaded, script, await script.goOn(halt.step, answering.result), running)
  return true
}

/** Runs the script up to its open question. Returns undefined if the script no longer asks at that step. */
async function atQuestion(
  loaded: LoadedConversation,
  running: RunningAttempt,
): Promise<{ readonly script: StartedScript; readonly halt: Asks } | undefined> {
  const script = isOther(loaded) ? undefined : await startScript(loaded, running)
  const halt = script?.halt
  return script && halt?.as === 'asks' && halt.step === loaded.waits?.step ? { script, halt } : undefined
}

/** Tells whether the open question accepts this tap. */
export async function isAnswer(
  loaded: LoadedConversation,
  message: Message,
  running: RunningAttempt,
): Promise<boolean> {
  const at = await atQuestion(loaded, running)
  if (!at) return false
  const { script, halt } = at
  if (isOfOtherSend(running, loaded.conversation.id, halt.step)) return false
  return (await script.within(() => answerTo(halt.question, [message]))).as !== 'elsewhere'
}

/** Tells whether the tapped option belongs to a message of another step. Such a tap does not answer the question. */
function isOfOtherSend({ tap }: RunningAttempt, conversation: string, step: number): boolean {
  return tap !== undefined && (tap.row.cause !== conversation || Number.parseInt(tap.row.slot, 10) !== step)
}

/**
 * Tells whether a tap is older than the question. Two questions may have an option `yes`: a tap on the first question
 * does not answer the second.
 */
function isOldTap(
  { offered }: Asks,
  messages: readonly Message[],
  { waits }: LoadedConversation,
  { item }: RunningAttempt,
): boolean {
  const tapped = messages.at(-1)?.tapped
  if (!tapped || !waits || !offered.has(tapped.id)) return false
  return item.delivery.receivedAt + item.delivery.clockOffset < waits.since
}

/** Sends the open question, which was not sent when the script asked it. So the message that arrived is no answer. */
async function askedNow(
  { conversation }: LoadedConversation,
  { step, question, of }: Asks,
  script: StartedScript,
  running: RunningAttempt,
): Promise<true> {
  if (!(await script.ask(step, question))) return true
  const now = running.deps.clock.service()
  change(running, {
    id: conversation.id,
    steps: [{ step, kind: 'ask', name: question.name, result: undefined }],
    next: { waits: askingAt(step, question, of.timeoutMs, now) },
  })
  return true
}

type Asks = Extract<Halt, { as: 'asks' }>

async function wakeConversation(loaded: LoadedConversation, running: RunningAttempt): Promise<void> {
  const { waits } = loaded
  if (waits?.for === 'answer') {
    if (waits.remindAt !== undefined) return remind(loaded, waits, running)
    return void (await ended(loaded, 'timeout', running))
  }
  // If the script cannot begin, the conversation must end: its timer is gone, so nothing would continue it.
  running.openRoute = loaded
  const script = isOther(loaded) ? undefined : await startScript(loaded, running)
  if (script?.halt.as !== 'sleeps' || script.halt.step !== waits?.step) return void (await changed(loaded, running))
  await moveOn(loaded, script, await script.goOn(script.halt.step, packResult('sleep', undefined)), running)
}

/** Reminds the customer of a question if it was sent and the script still asks it. The question stays open. */
async function remind(
  loaded: LoadedConversation,
  { step, since, dueAt }: Waits,
  running: RunningAttempt,
): Promise<void> {
  const at = await atQuestion(loaded, running)
  const isAsked = loaded.steps.find((one) => one.step === step)?.result !== UNASKED
  if (at?.halt.question.remind && isAsked) {
    const { question } = at.halt
    const { content, outsideWindow } = at.halt.question.remind
    try {
      const o = { ...longOf(question), ...(outsideWindow && { outsideWindow }) }
      await at.script.say(step, 'remind', content, o)
    } catch (error) {
      if (!isA(error, OutsideWindow)) throw error
      logOf(running).warn(
        { conversation: loaded.compiled.name },
        'the window is closed, so the reminder is not sent: pass a template as remind.outsideWindow',
      )
    }
  }
  const waits = { step, for: 'answer', since, dueAt } as const
  change(running, { id: loaded.conversation.id, next: { waits, at: running.deps.clock.service() } })
}

/** Derives a conversation's id from the cause and the slot that entered it. So a rerun finds the same conversation. */
function conversationId(number: string, cause: string, slot: string): string {
  return keyFrom('conversation', number, cause, slot)
}

function isOther({ conversation, compiled }: LoadedConversation): boolean {
  return conversation.version !== compiled.definition.version
}

async function moveOn(
  loaded: LoadedConversation,
  script: StartedScript,
  halt: Halt,
  running: RunningAttempt,
): Promise<void> {
  if (halt.as === 'changed') return void (await changed(loaded, running))
  change(running, await script.change(halt))
}

async function triedAgain(
  loaded: LoadedConversation,
  { step, question, of }: Asks,
  script: StartedScript,
  running: RunningAttempt,
): Promise<boolean> {
  const asked = loaded.steps.find((one) => one.step === step)
  const tries = triesIn(asked?.result) + 1
  if (tries >= question.tries) return ended(loaded, 'too_many_tries', running)
  running.openRoute = loaded
  await script.say(step, `invalid#${tries}`, question.invalid, longOf(question))
  const now = running.deps.clock.service()
  const { since = now, remindAt } = loaded.waits ?? {}
  const { kind = 'ask', name = question.name } = asked ?? {}
  change(running, {
    id: loaded.conversation.id,
    steps: [{ step, kind, name, result: JSON.stringify({ tries }) }],
    next: { waits: { step, for: 'answer', since, dueAt: now + of.timeoutMs, remindAt }, at: now },
  })
  return true
}

/** Returns how many answers to an open question did not fit: the stored result of its step has the count. */
function triesIn(result: string | undefined): number {
  return result === undefined ? 0 : (JSON.parse(result) as { readonly tries: number }).tries
}

/** Restarts or ends a conversation whose script has changed. Returns false if the routes get the message. */
async function changed(loaded: LoadedConversation, running: RunningAttempt): Promise<boolean> {
  const { conversation, compiled } = loaded
  const { definition } = compiled
  if (conversation.version === definition.version)
    running.deps.log.warn(
      { conversation: compiled.name, version: definition.version },
      'the script did something else than before, though its version is the same: use chat.now() for the time, chat.once() for chance and other code, and raise the version when you change its steps',
    )
  if (definition.onChanged === 'end' && definition.onEnd) return ended(loaded, 'changed', running)
  if (definition.onChanged !== 'restart') {
    change(running, { id: conversation.id, next: { ended: 'changed' } })
    return false
  }
  const id = conversationId(conversation.number, running.item.cause, `restart:${conversation.id}`)
  change(running, { id: conversation.id, next: { ended: 'changed' } })
  await enterConversation({ ...conversation, id, version: definition.version }, compiled, running)
  return true
}

async function ended(
  loaded: LoadedConversation,
  why: Exclude<EndReason, 'failed'>,
  running: RunningAttempt,
): Promise<true> {
  change(running, { id: loaded.conversation.id, next: { ended: why } })
  await tellEnd(loaded, why, running)
  return true
}

export async function tellEnd(
  { compiled }: LoadedConversation,
  why: EndReason,
  running: RunningAttempt,
): Promise<void> {
  const { definition, id } = compiled
  if (!definition.onEnd) return
  const { onEnd } = definition
  const session = await sessionOfAttempt(running)
  const context = new ContextOfCustomer(slotsOf(`${id}:onEnd`, running), session, running)
  await withinScope(running, { ...compiled, id: `${id}:onEnd` }, () => onEnd(context, why))
}

function change(running: RunningAttempt, made: ConversationChange): void {
  running.changes = { ...running.changes, conversations: [...(running.changes?.conversations ?? []), made] }
}

/** Returns the changes that are stored although the attempt failed: conversations that end. None is opened. */
export function changesOfFailed({ changes, openRoute }: RunningAttempt): ChangesOfFeatures {
  const ends = (changes?.conversations ?? []).flatMap(({ id, next }) => (next && 'ended' in next ? [{ id, next }] : []))
  const { conversation } = (openRoute ?? {}) as Partial<LoadedConversation>
  return { conversations: conversation ? [...ends, { id: conversation.id, next: { ended: 'failed' } }] : ends }
}

/** Runs an item that the bot made itself: a due timer, or a request that a customer enters a conversation. */
export async function runOwnItem(running: RunningAttempt): Promise<void> {
  if (running.item.kind === 'enter') await enterOnRequest(running)
  else {
    const due = await dueConversation(running)
    if (due) {
      running.route = due.compiled.id
      await wakeConversation(due, running)
    }
  }
  await running.effects.ended()
  await running.session?.hasChanged()
}

function bodyOf({ item }: RunningAttempt): unknown {
  return JSON.parse(Buffer.from(item.delivery.body).toString('utf8'))
}

async function enterOnRequest(running: RunningAttempt): Promise<void> {
  const request = bodyOf(running) as Pick<NewConversation, 'name' | 'version' | 'input'>
  const compiled = scriptFor(request, running)
  if (!compiled) return
  running.route = compiled.id
  const { number, customer = '', cause } = running.item
  const id = conversationId(number, cause, `enter:${request.name}`)
  const conversation = { ...request, id, number, customer, version: compiled.definition.version }
  await enterConversation(conversation, compiled, running)
}

/** Returns the conversation of a due timer; undefined if the conversation no longer waits for that time. */
async function dueConversation(running: RunningAttempt): Promise<LoadedConversation | undefined> {
  const open = openIn(running)
  const due = bodyOf(running) as { readonly conversation: string; readonly dueAt: number }
  if (open?.id !== due.conversation || !open.waits || nextTimeOf(open.waits) !== due.dueAt) return undefined
  return loadOpen(open, running)
}

/** Returns the open conversation that an item concerns. */
export async function conversationOf(running: RunningAttempt): Promise<LoadedConversation | undefined> {
  if (running.item.kind === 'message') return openQuestion(running)
  return running.item.kind === 'conversation_due' ? dueConversation(running) : undefined
}

/** Returns the customer's open conversation if it waits for an answer and no silence is in force. */
export async function openQuestion(running: RunningAttempt): Promise<LoadedConversation | undefined> {
  const open = openIn(running)
  if (open?.waits?.for !== 'answer' || isInForce(running.item.silence, running.deps.clock.service())) return undefined
  return loadOpen(open, running)
}

function openIn({ item }: RunningAttempt): OpenConversation | undefined {
  return item.conversation as OpenConversation | undefined
}

async function loadOpen(open: OpenConversation, running: RunningAttempt): Promise<LoadedConversation | undefined> {
  const compiled = scriptFor(open, running)
  const { conversation, steps } = await running.deps.store.journalOf(open.id)
  if (!conversation) return undefined
  if (compiled) return { conversation, compiled, steps, waits: open.waits }
  running.changes = { ...running.changes, conversations: [{ id: open.id, next: { ended: 'changed' } }] }
  return undefined
}

/** How long an item waits for a process that has a newer script. We assume that a deploy takes less time. */
const NEWER_MAY_COME_MS = 10 * 60_000
const ASK_EVERY_MS = 1_000

/**
 * Returns this process's script of a conversation; undefined if it has none.
 *
 * @throws LeftToOthers during the first `NEWER_MAY_COME_MS` of an item, if the conversation was entered by a newer
 * script than this process has, or by an unknown one. Afterwards the conversation counts as one whose script has
 * changed.
 */
function scriptFor(
  { name, version }: Pick<NewConversation, 'name' | 'version'>,
  { item, deps: { routes, clock, log } }: RunningAttempt,
): CompiledConversation | undefined {
  const compiled = compiledNamed(name, routes)
  if (compiled && version <= compiled.definition.version) return compiled
  const waited = clock.wall() - item.createdAt
  if (waited >= 0 && waited < NEWER_MAY_COME_MS)
    throw new LeftToOthers(ASK_EVERY_MS, 'the conversation is left to a process that has its script')
  log.error(
    { conversation: name, version, known: compiled?.definition.version, delivery: item.delivery.deliveryId },
    'a conversation was entered by a script that no process has any more: it is taken for a changed one',
  )
  return compiled
}

export async function enterFromHandler(
  made: object,
  input: unknown,
  nextSlot: (kind: string) => string,
  running: RunningAttempt,
): Promise<void> {
  const entry = entryOf(made, input, running.deps.routes)
  const { number, customer = '', cause } = running.item
  const id = conversationId(number, cause, nextSlot(`enter:${entry.name}`))
  await enterConversation({ ...entry, id, number, customer }, compiledFor(made, running.deps.routes), running)
}

type StartedScript = Awaited<ReturnType<typeof startScript>>

async function startScript(loaded: LoadedConversation, running: RunningAttempt) {
  const { conversation, compiled, steps, waits } = loaded
  const input = conversation.input === undefined ? undefined : (JSON.parse(conversation.input) as unknown)
  const { definition } = compiled
  const effects = await effectsOf(conversation, running)
  const run = new ScriptRun(definition, input, { steps, waitsAt: waits?.step }, effects)
  const within = <T>(work: () => Promise<T>) => inScript(loaded, running, work)
  const halt = await within(() => run.start())
  return {
    halt,
    within,
    goOn: (step: number, result: string) => within(() => run.resumeWith(step, result)),
    /** Sends a message that is no step, such as a reminder. `suffix` is the end of the message's slot. */
    say: (step: number, suffix: string, content: Content, o: SayOptions) =>
      sayAs(`${step}:${suffix}`, content, { ...o, isQuestion: true }, conversation, running),
    /** Asks a question. Returns false if it was not sent. */
    ask: (step: number, question: Question) => within(() => effects.ask(step, question)),
    /** Returns what the run has changed so far. It is stored with the settlement. */
    async change(reached: Halt): Promise<ConversationChange> {
      if (reached.as !== 'finished') running.openRoute = loaded
      return { id: conversation.id, steps: run.written(), ...stateAfter(reached, running.deps.clock.service()) }
    },
  }
}

/** Runs code of a script. If it throws, and the item becomes dead or parked because of that, the conversation ends. */
async function inScript<T>(loaded: LoadedConversation, running: RunningAttempt, work: () => Promise<T>): Promise<T> {
  running.openRoute = loaded
  const result = await withinScope(running, loaded.compiled, work)
  running.openRoute = undefined
  return result
}

function stateAfter(halt: Halt, now: number): Pick<ConversationChange, 'next'> {
  switch (halt.as) {
    case 'asks':
      return { next: { waits: askingAt(halt.step, halt.question, halt.of.timeoutMs, now) } }
    case 'sleeps':
      return { next: { waits: { step: halt.step, for: 'time', since: now, dueAt: halt.until } } }
    case 'finished':
      return { next: { ended: 'finished' } }
    case 'changed':
      return { next: { ended: 'changed' } }
  }
}

function askingAt(step: number, { remind: reminder }: Question, timeoutMs: number, now: number): Waits {
  const remindAt = reminder && now + reminder.afterMs
  return { step, for: 'answer', since: now, dueAt: now + timeoutMs, remindAt }
}

async function effectsOf(conversation: NewConversation, running: RunningAttempt): Promise<ScriptEffects> {
  const session = await sessionOfAttempt(running)
  const { fence, clock, item } = running
  const schema = running.deps.session?.schema
  return {
    customer: conversation.customer,
    number: item.number,
    log: logOf(running),
    now: () => running.deps.clock.service(),
    session: () => session.value,
    check: () => clock.check(),
    readSession(kept) {
      const fits = schema && validateSync(schema, kept)
      return fits && 'value' in fits ? fits.value : kept
    },
    say: async (step, content, o) => void (await sayAs(String(step), content, o, conversation, running)),
    send: async (content, o) =>
      void (await runEffect(running, async () => {
        const { key, ...options } = checkedSchedule(o)
        return recordFromHandler(running, {
          to: conversation.customer,
          content,
          cause: APP_CAUSE,
          slot: slotOf(key),
          options: { ...options, wait: 'stored' },
        })
      })),
    async ask(step, { content, outsideWindow, ...question }) {
      const o = { isQuestion: true, ...longOf(question), ...(outsideWindow && { outsideWindow }) }
      return isSent(await sayAs(String(step), content, o, conversation, running))
    },
    async keep(step) {
      clock.check()
      if (
        !(await clock.race(running.deps.store.keepStep(fence, item.id, conversation, step, running.deps.clock.wall())))
      )
        throw new AttemptOver()
    },
  }
}

/** Tells whether all parts of a question were sent. If not, the bot asks again after the customer's next message. */
function isSent(result: SendResult): boolean {
  if (result.via !== 'freeform') return result.via !== 'skipped'
  return !result.send.parts?.some(({ state }) => state === 'skipped')
}

function longOf({ long }: Pick<Question, 'long'>): SayOptions {
  return long === undefined ? {} : { long }
}

/** Sends a message of a script. Its cause is the conversation and its slot the step, so a rerun finds the same send. */
async function sayAs(
  slot: string,
  content: Content,
  { isQuestion = false, ...o }: SayOptions & { readonly isQuestion?: boolean },
  { id: cause }: NewConversation,
  running: RunningAttempt,
): Promise<SendResult> {
  return runEffect(running, async () =>
    recordReply(running, { cause, slot, content, isQuestion, options: checkedReply(o) }),
  )
}
