/** Lets at most `atOnce` of the given tasks run at a time, the others in their order; asked anew each time. */
export function createTurns(atOnce: () => number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  const letIn = () => {
    while (running < atOnce()) {
      const next = waiting.shift()
      if (next === undefined) return
      running++
      next()
    }
  }
  return async (task) => {
    if (waiting.length === 0 && running < atOnce()) running++
    else {
      const turn = new Promise<void>((resolve) => waiting.push(resolve))
      letIn()
      await turn
    }
    try {
      return await task()
    } finally {
      running--
      letIn()
    }
  }
}
