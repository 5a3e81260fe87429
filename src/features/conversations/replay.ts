import { AsyncLocalStorage } from 'node:async_hooks'
import { optionsInvalid, type SwitchhookError } from '../../base/errors.ts'
import { packResult } from '../../bot/work/json-value.ts'
import type { ConversationDefinition } from './conversation.ts'
import type { Question } from './question.ts'
import type { JournalStep } from './store/conversation-rows.ts'

/** The place at which a run of a script has stopped. `before`: it has waited there since an earlier run. */
export type Halt =
  | {
      readonly as: 'asks'
      readonly step: number
      readonly question: Question
      /** The conversation that asks the question. Another conversation may have entered it. */
      readonly of: ConversationDefinition
      readonly offered: ReadonlySet<string>
      readonly before: boolean
    }
  | { readonly as: 'sleeps'; readonly step: number; readonly until: number; readonly before: boolean }
  | { readonly as: 'finished' }
  | { readonly as: 'changed'; readonly step: number }

type RequestedStep = Pick<JournalStep, 'kind' | 'name'>

export interface Recorded {
  readonly steps: readonly JournalStep[]
  readonly waitsAt: number | undefined
}

/**
 * The call of `once` whose function runs now. Sockets and timers that the function opens keep this value in memory, so
 * it must not refer to the `Replay`.
 */
const effects = new AsyncLocalStorage<{ readonly mark: object; readonly name: string }>()

export type KeepStep = (step: JournalStep) => Promise<void>

/**
 * Runs a script over its stored steps. A stored step returns its result, any other step is executed. Each step begins
 * after the previous one has ended. If a step waits for an answer or fails, its promise stays pending, so the script
 * stops there.
 */
export class Replay {
  readonly written = new Map<number, JournalStep>()
  readonly #known: Map<number, JournalStep>
  readonly #lastKnown: number
  /** Values that the script has read, such as the time. They are not stored yet. */
  readonly #unkept = new Map<number, JournalStep>()
  readonly #keep: KeepStep
  #waitsAt: number | undefined
  #next = 0
  #tail: Promise<unknown> = Promise.resolve()
  #halt = Promise.withResolvers<Halt>()
  #answer: (result: string) => void = () => {}
  #changed = false
  readonly #mark = {}

  constructor({ steps, waitsAt }: Recorded, keep: KeepStep) {
    this.#known = new Map(steps.map((step) => [step.step, step]))
    this.#lastKnown = Math.max(-1, ...this.#known.keys())
    this.#waitsAt = waitsAt
    this.#keep = keep
  }

  /** Resolves when the run stops. Rejects if a step or the script rejects. */
  halted(): Promise<Halt> {
    const { promise } = this.#halt
    // If no caller waits any more, a rejection must not end the process.
    promise.catch(() => {})
    return promise
  }

  fail(error: unknown): void {
    this.#halt.reject(error)
  }

  /** Waits for steps that the script did not await before it ended. */
  async finish(): Promise<void> {
    let ended: unknown
    while (ended !== this.#tail) {
      ended = this.#tail
      await ended
    }
    const left = [...this.#known.keys()].find((step) => step >= this.#next)
    this.#halt.resolve(left === undefined ? { as: 'finished' } : { as: 'changed', step: left })
  }

  /** Stops at a step, until `resumeWith` passes its result. */
  wait(halt: Halt): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>()
    this.#answer = resolve
    this.#halt.resolve(halt)
    return promise
  }

  resumeWith(step: number, result: string): Promise<Halt> {
    const waiting = this.written.get(step) ?? this.#known.get(step)
    if (waiting) this.write({ ...waiting, result })
    this.#waitsAt = undefined
    this.#halt = Promise.withResolvers<Halt>()
    this.#answer(result)
    return this.halted()
  }

  /** Call this if the script differs from its stored steps. No further step is executed. */
  change(step: number): Promise<never> {
    this.#changed = true
    this.#halt.resolve({ as: 'changed', step })
    return never()
  }

  isBeyondJournal(): boolean {
    return this.#next > this.#lastKnown
  }

  /**
   * @param execute runs the step if no result is stored. `before`: the step has begun earlier, and has waited since.
   * @param read turns a result into the script's value.
   */
  step(
    asked: RequestedStep,
    execute: (step: number, before: boolean) => Promise<string>,
    read: (result: string, step: number) => unknown,
  ): Promise<unknown> {
    const effect = this.#effect()
    if (effect) return Promise.reject(stepWithin(asked.kind, effect.name))
    const step = this.#nextStep(asked)
    if (step === undefined) return never()
    const ended = this.#tail.then(async () => {
      try {
        const known = this.#known.get(step)
        const before = known !== undefined && (this.#waitsAt === step || known.result === undefined)
        if (!known) await this.#keepReads()
        const result = known?.result === undefined || before ? await execute(step, before) : known.result
        return await read(result, step)
      } catch (error) {
        this.fail(error)
        return await never()
      }
    })
    this.#tail = ended
    return ended
  }

  /** Runs the function of a `once`. Later runs do not call it, so no call inside it counts as a step. */
  within<T>(name: string, effect: () => T): T {
    return effects.run({ mark: this.#mark, name }, effect)
  }

  /** Returns a value that is the same in each run, such as the time. Inside a `once` this is not a step. */
  read(kind: string, make: () => unknown, read: (result: string) => unknown): unknown {
    if (this.#effect()) return read(packResult(kind, make()))
    const step = this.#nextStep({ kind, name: '' })
    const known = step === undefined ? undefined : this.#known.get(step)?.result
    const result = known ?? packResult(kind, make())
    if (step !== undefined && known === undefined) this.#unkept.set(step, this.write({ step, kind, name: '', result }))
    return read(result)
  }

  write(step: JournalStep): JournalStep {
    this.written.set(step.step, step)
    return step
  }

  /** Stores the values that the script has read, so that a rerun after a crash reads the same values. */
  async #keepReads(): Promise<void> {
    for (const [nth, step] of this.#unkept) {
      await this.#keep(step)
      this.#unkept.delete(nth)
      this.written.delete(nth)
    }
  }

  #effect(): { readonly name: string } | undefined {
    const effect = effects.getStore()
    return effect?.mark === this.#mark ? effect : undefined
  }

  /** Returns the index of the next step; undefined once the script differs from its stored steps. */
  #nextStep(asked: RequestedStep): number | undefined {
    if (this.#changed) return undefined
    const step = this.#next++
    const known = this.#known.get(step)
    if (!known || (known.kind === asked.kind && known.name === asked.name)) return step
    void this.change(step)
    return undefined
  }
}

/** The error for a step inside a `once`. The step would wait for the end of the `once`, and the `once` for the step. */
function stepWithin(kind: string, name: string): SwitchhookError {
  return optionsInvalid(
    `chat.${kind}() was called within chat.once('${name}'), which is one step: call it before or after once()`,
  )
}

/**
 * Makes a promise that never settles. Each caller gets its own: one shared promise would keep all scripts that wait for
 * it in memory.
 */
function never(): Promise<never> {
  return new Promise(() => {})
}
