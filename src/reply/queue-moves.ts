import type { Queue, QueueMove } from '../stores/port/index.ts'

/** A number's queue, as an attempt that has ended meets it. */
export interface Met {
  readonly queue: Queue | undefined
  /** It was moved since the attempt began, by one that ran beside it. */
  readonly meanwhile: boolean
}

/** What this process did to its numbers' queues: of attempts that run side by side each must know what the others met. */
export interface QueueMoves {
  /** A mark of now, to be kept with an attempt that begins. */
  mark(): number
  /** The queue for an attempt that began at `mark` and knew it as `known`. */
  met(number: string, known: Queue | undefined, mark: number): Met
  moved(number: string, move: QueueMove): void
}

export function createQueueMoves(): QueueMoves {
  const last = new Map<string, { readonly queue: Queue | undefined; readonly mark: number }>()
  let count = 0
  return {
    mark: () => count,
    met(number, known, mark) {
      const moved = last.get(number)
      const meanwhile = moved !== undefined && moved.mark > mark
      return meanwhile ? { queue: moved.queue, meanwhile } : { queue: known, meanwhile }
    },
    moved(number, move) {
      last.set(number, { queue: move === 'open' ? undefined : move, mark: ++count })
    },
  }
}
