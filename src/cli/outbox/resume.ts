import type { Resumed } from '../../stores/port/index.ts'
import { type DatabaseFlag, working } from '../database.ts'

export interface ResumeFlags extends DatabaseFlag {
  readonly json?: boolean
}

/** `switchhook outbox resume [NUMBER]`: what was held goes out, or is tried, without further waiting. */
export async function resume(number: string | undefined, flags: ResumeFlags): Promise<void> {
  const resumed = await working(flags, (store) =>
    store.resumeSends({ now: Date.now(), ...(number !== undefined && { number }) }),
  )
  const { throttles: queues, held, restored } = resumed
  if (flags.json) process.stdout.write(`${JSON.stringify({ queues, held, restored })}\n`)
  else process.stderr.write(`${wordsFor(resumed, number)}\n`)
}

function wordsFor({ throttles, held, restored }: Resumed, number: string | undefined): string {
  const words: string[] = []
  if (restored > 0)
    words.push(
      `${restored === 1 ? '1 send of the restored database goes' : `${restored} sends of the restored database go`} out now, marked as possibly sent twice.`,
    )
  if (throttles.length > 0) words.push(`Tried at once, with one send each: the queue of ${throttles.join(', ')}.`)
  if (held > 0) words.push(`${held === 1 ? '1 held send goes' : `${held} held sends go`} out where that passes.`)
  if (words.length === 0) return `Nothing was held${number === undefined ? '' : ` for ${number}`}.`
  return [...words, 'The app does it within a second, or when it starts.'].join('\n')
}
