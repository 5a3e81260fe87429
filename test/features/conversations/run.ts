import { silent } from '../../../src/base/log.ts'
import type { Content } from '../../../src/service/content.ts'
import type { Halt } from '../../../src/features/conversations/replay.ts'
import { type ScriptEffects, ScriptRun } from '../../../src/features/conversations/script-run.ts'
import { type Chat, defineConversation } from '../../../src/features/conversations/conversation.ts'
import type { JournalStep } from '../../../src/features/conversations/store/conversation-rows.ts'

export const NOON = Date.parse('2026-03-04T12:00:00Z')

/** A script with its own journal, run as often as a test wants. */
export function scripted(script: (chat: Chat, input: never) => Promise<unknown>, input?: unknown) {
  const { definition } = defineConversation('test', { version: 1, timeout: '5m' }, script as never)
  let journal: readonly JournalStep[] = []
  let waitsAt: number | undefined
  const done: string[] = []
  const kept: JournalStep[] = []
  const state = { now: NOON, session: {} as unknown, logged: [] as string[], over: false }
  const effects: ScriptEffects = {
    customer: '255712000101',
    number: 'default',
    log: { ...silent, info: (_about, message) => void state.logged.push(String(message)) },
    now: () => state.now,
    session: () => state.session,
    check() {
      if (state.over) throw new Error('the attempt is over')
    },
    readSession: (kept) => kept,
    say: async (step, content) => void done.push(`${step} say ${said(content)}`),
    send: async (content, { key }) => void done.push(`send ${said(content as Content)} ${String(key)}`),
    async ask(step, question) {
      done.push(`${step} ask ${said(question.content)}`)
      return true
    },
    keep: async (step) => {
      kept.push(step)
      done.push(`${step.step} keep ${step.kind} ${step.result}`)
    },
  }
  const settle = (run: ScriptRun, halt: Halt) => {
    const written = new Map([...journal, ...kept, ...run.written()].map((step) => [step.step, step]))
    journal = [...written.values()]
    waitsAt = 'step' in halt ? halt.step : undefined
  }
  return {
    /** The effects that have happened so far, each with its step. */
    done,
    state,
    definition,
    effects,
    journal: () => journal,
    /** Begins a run over the journal, as a process does that has just started. */
    run: (other = definition) => new ScriptRun(other, input, { steps: journal, waitsAt }, effects),
    settle,
    /** Runs to the halt, with an answer or the end of a sleep if it waits, and keeps the journal. */
    async goOn(given?: unknown): Promise<Halt> {
      const run = this.run()
      let halt = await run.start()
      if ('before' in halt && halt.before) {
        const result = halt.as === 'asks' ? JSON.stringify({ value: given }) : '[]'
        halt = await run.resumeWith(halt.step, result)
      }
      settle(run, halt)
      return halt
    },
  }
}

function said(content: Content): string {
  return typeof content === 'string' ? content : content.kind
}
