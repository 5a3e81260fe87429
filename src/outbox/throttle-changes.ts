import type { NumberThrottle, ThrottleChange } from '../stores/port/index.ts'

/** A number's queue, as an attempt that has ended meets it. */
export interface ThrottleAtEnd {
  readonly throttle: NumberThrottle | undefined
  /** It was moved since the attempt began, by one that ran beside it. */
  readonly meanwhile: boolean
}

/** What this process did to its numbers' queues: of attempts that run side by side each must know what the others met. */
export interface ThrottleChanges {
  /** A mark of now, to be kept with an attempt that begins. */
  mark(): number
  /** The queue for an attempt that began at `mark` and knew it as `known`. */
  met(number: string, known: NumberThrottle | undefined, mark: number): ThrottleAtEnd
  moved(number: string, move: ThrottleChange): void
}

export function createThrottleChanges(): ThrottleChanges {
  const last = new Map<string, { readonly queue: NumberThrottle | undefined; readonly mark: number }>()
  let count = 0
  return {
    mark: () => count,
    met(number, known, mark) {
      const moved = last.get(number)
      const meanwhile = moved !== undefined && moved.mark > mark
      return meanwhile ? { throttle: moved.queue, meanwhile } : { throttle: known, meanwhile }
    },
    moved(number, move) {
      last.set(number, { queue: move === 'resumed' ? undefined : move, mark: ++count })
    },
  }
}
