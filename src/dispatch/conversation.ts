import { packResult } from '../base/kept-result.ts'
import { keyFrom } from '../client/index.ts'
import { answerTo, type Halt, UNASKED } from '../conversations/index.ts'
import type { CompiledConversation, EndReason, Message } from '../routes/index.ts'
import type { ConversationChange, NewConversation } from '../stores/port/index.ts'
import { ContextOfCustomer, sessionOfAttempt } from './customer-context.ts'
import { withinBoundary } from './middleware.ts'
import { type StartedScript, startScript } from './script.ts'
import type { AttemptDeps, HeldConversation, RunningAttempt } from './types.ts'

/** Enters a conversation: its script runs until it waits, or ends. */
export async function enterConversation(
  conversation: NewConversation,
  compiled: CompiledConversation,
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<void> {
  // An attempt before this one may have kept what its effects gave, and have had another script.
  const { conversation: kept, steps } = await deps.store.journalOf(conversation.id)
  const isSame = kept === undefined || kept.version === conversation.version
  const script = isSame
    ? await startScript({ conversation, compiled, steps, waits: undefined }, running, deps)
    : undefined
  if (!script || script.halt.as === 'changed') {
    const id = conversationId(conversation.number, conversation.id, 'restart')
    return enterConversation({ ...conversation, id }, compiled, running, deps)
  }
  change(running, { opens: conversation, ...(await script.change(script.halt)) })
}

/**
 * Goes on with the open conversation by a customer's messages; false if they are none of its business, and the routes
 * have them.
 */
export async function answerConversation(
  held: HeldConversation,
  messages: readonly Message[],
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<boolean> {
  const script = isOther(held) ? undefined : await startScript(held, running, deps)
  const halt = script?.halt
  const isAt = halt?.as === 'asks' && halt.step === held.waits?.step
  const { isCancelWord, passesThrough } = isAt ? halt.of : held.compiled.definition
  const texts = messages.flatMap(({ text }) => text ?? [])
  if (texts.some(isCancelWord)) return ended(held, 'cancelled', running, deps)
  if (texts.some(passesThrough)) return false
  if (!script || !isAt) return changed(held, running, deps)
  if (isOldTap(halt, messages, held, running, deps)) return false
  const answering = await script.within(() => answerTo(halt.question, messages))
  if (answering.as === 'elsewhere') return false
  if (held.steps.find(({ step }) => step === halt.step)?.result === UNASKED)
    return askedNow(held, halt, script, running, deps)
  if (answering.as === 'invalid') return triedAgain(held, halt, script, running, deps)
  await moveOn(held, script, await script.goOn(halt.step, answering.result), running, deps)
  return true
}

/**
 * Two questions may have options of one id, such as `yes`. A second tap on the first of them, which came before the other
 * was asked, is no answer to that one.
 */
function isOldTap(
  { offered }: Asks,
  messages: readonly Message[],
  { waits }: HeldConversation,
  { item }: RunningAttempt,
  { clock }: AttemptDeps,
): boolean {
  const tapped = messages.at(-1)?.tapped
  if (!tapped || !waits || !offered.has(tapped.id)) return false
  return item.delivery.receivedAt + clock.offset < waits.since
}

/** The question was not sent when the script came to it. It is now, and the message that came is no answer to it. */
async function askedNow(
  { conversation }: HeldConversation,
  { step, question, of }: Asks,
  script: StartedScript,
  running: RunningAttempt,
  { clock }: AttemptDeps,
): Promise<true> {
  if (!(await script.ask(step, question))) return true
  const now = clock.service()
  change(running, {
    id: conversation.id,
    steps: [{ step, kind: 'ask', name: question.name, result: undefined }],
    next: { waits: { step, for: 'answer', since: now, dueAt: now + of.timeoutMs } },
  })
  return true
}

type Asks = Extract<Halt, { as: 'asks' }>

/** The time of a step has come. */
export async function wakeConversation(
  held: HeldConversation,
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<void> {
  const { waits } = held
  if (waits?.for === 'answer') return void (await ended(held, 'timeout', running, deps))
  // Its time does not come again: a script that cannot even begin ends the conversation too.
  running.inScript = held
  const script = isOther(held) ? undefined : await startScript(held, running, deps)
  if (script?.halt.as !== 'sleeps' || script.halt.step !== waits?.step) return void (await changed(held, running, deps))
  await moveOn(held, script, await script.goOn(script.halt.step, packResult('sleep', undefined)), running, deps)
}

/** The id of a conversation is made of what entered it, so that a rerun enters the same one. */
export function conversationId(number: string, cause: string, slot: string): string {
  return keyFrom('conversation', number, cause, slot)
}

function isOther({ conversation, compiled }: HeldConversation): boolean {
  return conversation.version !== compiled.definition.version
}

async function moveOn(
  held: HeldConversation,
  script: StartedScript,
  halt: Halt,
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<void> {
  if (halt.as === 'changed') return void (await changed(held, running, deps))
  change(running, await script.change(halt))
}

async function triedAgain(
  held: HeldConversation,
  { step, question, of }: Asks,
  script: StartedScript,
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<boolean> {
  const asked = held.steps.find((one) => one.step === step)
  const tries = triesIn(asked?.result) + 1
  if (tries >= question.tries) return ended(held, 'too_many_tries', running, deps)
  running.inScript = held
  await script.say(step, `invalid#${tries}`, question.invalid)
  const now = deps.clock.service()
  const { since = now } = held.waits ?? {}
  const { kind = 'ask', name = question.name } = asked ?? {}
  change(running, {
    id: held.conversation.id,
    steps: [{ step, kind, name, result: JSON.stringify({ tries }) }],
    next: { waits: { step, for: 'answer', since, dueAt: now + of.timeoutMs } },
  })
  return true
}

/** An open question may have a result of its own: how many answers did not fit. */
function triesIn(result: string | undefined): number {
  return result === undefined ? 0 : (JSON.parse(result) as { readonly tries: number }).tries
}

/** The script is another one by now. False if the message is left to the routes. */
async function changed(held: HeldConversation, running: RunningAttempt, deps: AttemptDeps): Promise<boolean> {
  const { conversation, compiled } = held
  const { definition } = compiled
  if (definition.onChanged === 'end' && definition.onEnd) return ended(held, 'changed', running, deps)
  if (definition.onChanged !== 'restart') {
    change(running, { id: conversation.id, next: { ended: 'changed' } })
    return false
  }
  const id = conversationId(conversation.number, running.item.cause, `restart:${conversation.id}`)
  change(running, { id: conversation.id, next: { ended: 'changed' } })
  await enterConversation({ ...conversation, id, version: definition.version }, compiled, running, deps)
  return true
}

async function ended(
  held: HeldConversation,
  why: Exclude<EndReason, 'failed'>,
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<true> {
  change(running, { id: held.conversation.id, next: { ended: why } })
  await tellEnd(held, why, running, deps)
  return true
}

/** Calls `onEnd`, which may tell the customer. */
export async function tellEnd(
  { compiled }: HeldConversation,
  why: EndReason,
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<void> {
  const { definition, id } = compiled
  if (!definition.onEnd) return
  const { onEnd } = definition
  const session = await sessionOfAttempt(running, deps)
  const context = new ContextOfCustomer(`${id}:onEnd`, session, running, deps)
  await withinBoundary(running, { ...compiled, id: `${id}:onEnd` }, () => onEnd(context, why))
}

function change(running: RunningAttempt, made: ConversationChange): void {
  running.conversations = [...(running.conversations ?? []), made]
}
