import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Recorded, Run, WorldOptions } from './recording.ts'

/** The task that the command gives the app's process, beside the deliveries. */
export interface Plan extends WorldOptions {
  /** How long after the last delivery the bot goes on, in milliseconds of service time. */
  readonly afterMs: number
}

/** The answer of the app's process: a run, or why there is none. */
export type Answer = { readonly run: Run } | { readonly failed: string }

const OWNER_ONLY = { mode: 0o600 }

/** The folder in which command and app meet: a pipe between them would not reach through npm or a shell. */
export function exchangeIn(folder: string) {
  const read = (name: string): unknown => {
    try {
      return JSON.parse(readFileSync(join(folder, name), 'utf8'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }
  const write = (name: string, value: unknown) => {
    const file = join(folder, name)
    writeFileSync(`${file}.part`, `${JSON.stringify(value)}\n`, OWNER_ONLY)
    // The other side sees a whole file, or none.
    renameSync(`${file}.part`, file)
  }

  return {
    plan: () => read('plan.json') as Plan | undefined,
    deliveries: () => (read('deliveries.json') ?? []) as readonly Recorded[],
    /** Undefined until the bot was started. */
    begun: () => read('begun.json') !== undefined,
    answer: () => read('answer.json') as Answer | undefined,
    give(plan: Plan, deliveries: readonly Recorded[]): void {
      write('plan.json', plan)
      write('deliveries.json', deliveries)
    },
    begin: () => write('begun.json', {}),
    reply: (answer: Answer) => write('answer.json', answer),
  }
}
