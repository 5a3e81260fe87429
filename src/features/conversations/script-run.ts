import { toMs } from '../../base/duration.ts'
import { optionsInvalid } from '../../base/errors.ts'
import { packResult, unpackResult } from '../../bot/work/json-value.ts'
import type { Log } from '../../base/log.ts'
import type { Content, Template } from '../../service/content.ts'
import { type Chat, type ConversationDefinition, definitionOf, type SayOptions } from './conversation.ts'
import { readAnswer, type Question, questionOf, UNASKED } from './question.ts'
import { type Halt, type KeepStep, type Recorded, Replay } from './replay.ts'
import type { JournalStep } from './store/conversation-rows.ts'

type Schedule = Parameters<Chat['send']>[1]

export interface ScriptEffects {
  readonly customer: string
  readonly number: string
  readonly log: Log
  /** Service time. */
  now(): number
  session(): unknown
  /** Throws if the attempt has ended. Another attempt may run by then. */
  check(): void
  /** Parses a session that an earlier run has stored. */
  readSession(kept: unknown): unknown
  say(step: number, content: Content, o: SayOptions): Promise<void>
  send(content: Content | Template, o: Schedule): Promise<void>
  /** Resolves with false if the question was not sent. */
  ask(step: number, question: Question): Promise<boolean>
  readonly keep: KeepStep
}

export class ScriptRun {
  readonly #definition: ConversationDefinition
  readonly #input: unknown
  readonly #effects: ScriptEffects
  readonly #replay: Replay
  readonly #scripts: Promise<unknown>[] = []
  readonly #offered = new Set<string>()

  constructor(definition: ConversationDefinition, input: unknown, recorded: Recorded, effects: ScriptEffects) {
    this.#definition = definition
    this.#input = input
    this.#effects = effects
    this.#replay = new Replay(recorded, effects.keep)
  }

  start(): Promise<Halt> {
    this.#begin(this.#definition, this.#input)
      .then(() => Promise.all(this.#scripts))
      .then(() => this.#replay.finish())
      .catch((error: unknown) => this.#replay.fail(error))
    return this.#replay.halted()
  }

  /** Passes the result to the waiting step. Continues the script until it waits or ends. */
  resumeWith(step: number, result: string): Promise<Halt> {
    return this.#replay.resumeWith(step, result)
  }

  written(): readonly JournalStep[] {
    return [...this.#replay.written.values()]
  }

  #begin(definition: ConversationDefinition, input: unknown): Promise<unknown> {
    const script = (async () => definition.script(this.#chat(definition), input))()
    this.#scripts.push(script)
    return script
  }

  #chat(of: ConversationDefinition): Chat {
    const session = () => this.#session()
    return {
      customer: this.#effects.customer,
      number: this.#effects.number,
      get session() {
        return session() as object
      },
      log: this.#log(),
      now: () => this.#now(),
      say: (content, o = {}) => this.#act('say', (step) => this.#effects.say(step, content, o)),
      send: (content, o) => this.#act('send', () => this.#effects.send(content, o)),
      ask: (content: Content, o?: object) =>
        this.#ask(questionOf(content, o ?? {}, of.timeoutMs), of) as Promise<never>,
      once: (name, effect) => this.#once(name, effect),
      sleep: (span) => {
        const ms = Math.ceil(toMs(span, 'chat.sleep'))
        return this.#sleep(() => this.#effects.now() + ms)
      },
      sleepUntil: (at) => {
        if (!(at instanceof Date) || !Number.isFinite(at.getTime()))
          throw optionsInvalid('chat.sleepUntil(): expected a Date')
        return this.#sleep(() => at.getTime())
      },
      enter: async (conversation, ...input) => this.#enter(definitionOf(conversation), input[0]),
    }
  }

  async #act(kind: 'say' | 'send', act: (step: number) => Promise<void>): Promise<void> {
    const run = async (step: number) => {
      await act(step)
      return this.#done(step, kind)
    }
    await this.#replay.step({ kind, name: '' }, run, unpackResult)
  }

  #ask(question: Question, of: ConversationDefinition): Promise<unknown> {
    const { name } = question
    const ask = async (step: number, before: boolean) => {
      if (!before) {
        const isAsked = await this.#effects.ask(step, question)
        this.#replay.write({ step, kind: 'ask', name, result: isAsked ? undefined : UNASKED })
      }
      return this.#replay.wait({ as: 'asks', step, question, of, offered: new Set(this.#offered), before })
    }
    const read = async (result: string, step: number) => {
      for (const { id } of question.options ?? []) this.#offered.add(id)
      const answer = await readAnswer(question, result)
      return answer ? answer.value : this.#replay.change(step)
    }
    return this.#replay.step({ kind: 'ask', name }, ask, read)
  }

  #once<T>(name: string, effect: () => T | Promise<T>): Promise<T> {
    const run = async (step: number) => {
      this.#effects.check()
      const result = packResult(name, await this.#replay.within(name, effect))
      await this.#effects.keep({ step, kind: 'once', name, result })
      return result
    }
    return this.#replay.step({ kind: 'once', name }, run, unpackResult) as Promise<T>
  }

  async #sleep(until: () => number): Promise<void> {
    const sleep = async (step: number, before: boolean) => {
      const at = before ? Number.NaN : until()
      if (at <= this.#effects.now()) return this.#done(step, 'sleep')
      if (!before) this.#replay.write({ step, kind: 'sleep', name: '', result: undefined })
      return this.#replay.wait({ as: 'sleeps', step, until: at, before })
    }
    await this.#replay.step({ kind: 'sleep', name: '' }, sleep, unpackResult)
  }

  async #enter(definition: ConversationDefinition, input: unknown): Promise<void> {
    const { name, version } = definition
    const enter = async (step: number) => {
      const result = packResult(name, version)
      this.#replay.write({ step, kind: 'enter', name, result })
      return result
    }
    const read = (result: string, step: number) =>
      unpackResult(result) === version ? undefined : this.#replay.change(step)
    await this.#replay.step({ kind: 'enter', name }, enter, read)
    await this.#begin(definition, input)
  }

  #now(): Date {
    return new Date(this.#replay.read('now', () => this.#effects.now(), unpackResult) as number)
  }

  #session(): unknown {
    const { session, readSession } = this.#effects
    return this.#replay.read('session', session, (result) => readSession(unpackResult(result)))
  }

  #done(step: number, kind: string): string {
    const result = packResult(kind, undefined)
    this.#replay.write({ step, kind, name: '', result })
    return result
  }

  /** Returns a log that writes nothing while the script repeats earlier steps. */
  #log(): Log {
    const { log } = this.#effects
    const write = (level: keyof Log) => (about: unknown, message?: string) => {
      if (this.#replay.isBeyondJournal()) log[level](about, message)
    }
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  }
}
