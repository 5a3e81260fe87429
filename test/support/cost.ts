/**
 * How many times more CPU a run over something larger costs than the same run over something smaller: the best of some
 * attempts, in turns, so that neither the machine nor its other work decides. What costs nearly nothing counts as ten
 * milliseconds.
 */
export function growth(smaller: () => void, larger: () => void): number {
  const [low, high] = [[] as number[], [] as number[]]
  for (let attempt = 0; attempt < 3; attempt++) {
    low.push(cost(smaller))
    high.push(cost(larger))
  }
  return Math.min(...high) / Math.min(...low)
}

const NEARLY_NOTHING_MS = 10

function cost(run: () => void): number {
  const started = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(started)
  return Math.max(NEARLY_NOTHING_MS, (user + system) / 1_000)
}
