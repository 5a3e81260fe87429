import { validateSync } from '../base/schema.ts'
import type { Content } from '../content/content.ts'
import type { Question } from '../conversations/question.ts'
import type { Halt } from '../conversations/replay.ts'
import { checkRepeats, type ScriptEffects, ScriptRun } from '../conversations/script-run.ts'
import { AttemptOver, type SendResult } from '../outbox/send.ts'
import { checkedReply } from '../outbox/send-options.ts'
import type { SayOptions } from '../routes/conversation.ts'
import type { ConversationChange, NewConversation } from '../stores/port/index.ts'
import { logOf, sessionOfAttempt } from './context.ts'
import { withinBoundary } from './middleware.ts'
import { recordReply, runEffect } from './attempt-effects.ts'
import type { AttemptDeps, HeldConversation, RunningAttempt } from './types.ts'

export interface StartedScript {
  readonly halt: Halt
  goOn(step: number, result: string): Promise<Halt>
  /** Says something between two steps; `part` tells it from whatever else the step says. */
  say(step: number, part: string, content: Content): Promise<void>
  /** Sends a question; false if it was not sent. */
  ask(step: number, question: Question): Promise<boolean>
  /** Does work that belongs to the script: if the attempt is given up for it, the conversation ends. */
  within<T>(work: () => Promise<T>): Promise<T>
  /** The change that the run has made so far, to be written with the settlement. */
  change(halt: Halt): Promise<ConversationChange>
}

export async function startScript(
  held: HeldConversation,
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<StartedScript> {
  const { conversation, compiled, steps, waits } = held
  const input = conversation.input === undefined ? undefined : (JSON.parse(conversation.input) as unknown)
  const { definition } = compiled
  const effects = await effectsOf(conversation, running, deps)
  const run = new ScriptRun(definition, input, { steps, waitsAt: waits?.step }, effects)
  const within = <T>(work: () => Promise<T>) => inScript(held, running, work)
  const halt = await within(() => run.start())
  return {
    halt,
    within,
    goOn: (step, result) => within(() => run.goOn(step, result)),
    say: async (step, part, content) => void (await sayAs(`${step}:${part}`, content, {}, conversation, running, deps)),
    ask: (step, question) => within(() => effects.ask(step, question)),
    async change(reached) {
      if (deps.development && reached.as !== 'changed') await within(() => checkRepeats(definition.name, run, reached))
      if (reached.as !== 'finished') running.inScript = held
      return { id: conversation.id, steps: run.written(), ...nextOf(reached, deps.clock.service()) }
    },
  }
}

/** An attempt that fails here ends the conversation if it is given up. */
async function inScript<T>(held: HeldConversation, running: RunningAttempt, work: () => Promise<T>): Promise<T> {
  running.inScript = held
  const result = await withinBoundary(running, held.compiled, work)
  running.inScript = undefined
  return result
}

function nextOf(halt: Halt, now: number): Pick<ConversationChange, 'next'> {
  switch (halt.as) {
    case 'asks':
      return { next: { waits: { step: halt.step, for: 'answer', since: now, dueAt: now + halt.of.timeoutMs } } }
    case 'sleeps':
      return { next: { waits: { step: halt.step, for: 'time', since: now, dueAt: halt.until } } }
    case 'finished':
      return { next: { ended: 'finished' } }
    case 'changed':
      return { next: { ended: 'changed' } }
  }
}

async function effectsOf(
  conversation: NewConversation,
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<ScriptEffects> {
  const session = await sessionOfAttempt(running, deps)
  const { fence, clock, item } = running
  const schema = deps.session?.schema
  return {
    customer: conversation.customer,
    number: item.number,
    log: logOf(running, deps),
    now: () => deps.clock.service(),
    session: () => session.value,
    check: () => clock.check(),
    readSession(kept) {
      const fits = schema && validateSync(schema, kept)
      return fits && 'value' in fits ? fits.value : kept
    },
    say: async (step, content, o) => void (await sayAs(String(step), content, o, conversation, running, deps)),
    async ask(step, { content, outsideWindow }) {
      const o = outsideWindow ? { outsideWindow } : {}
      return (await sayAs(String(step), content, o, conversation, running, deps)).via !== 'skipped'
    },
    async keep(step) {
      clock.check()
      if (!(await clock.race(deps.store.keepStep(fence, item.id, conversation, step, deps.clock.wall()))))
        throw new AttemptOver('its lane was lost')
    },
  }
}

/** The conversation is the cause, and the step the slot: a rerun finds what was said. */
async function sayAs(
  slot: string,
  content: Content,
  o: SayOptions,
  { id: cause }: NewConversation,
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<SendResult> {
  return runEffect(running, deps, async () =>
    recordReply(running, deps, { cause, slot, content, options: checkedReply(o) }),
  )
}
