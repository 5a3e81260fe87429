import type { Timers } from './clock.ts'

/** Whether that ends within so many milliseconds; where it takes longer, it goes on and nobody waits for it. */
export async function endsWithin(ms: number, timers: Timers, work: Promise<unknown>): Promise<boolean> {
  let cancel = () => {}
  const late = new Promise<false>((resolve) => {
    cancel = timers.after(ms, () => resolve(false))
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    cancel()
  }
}
