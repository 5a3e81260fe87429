import type { Timers } from '../base/clock.ts'

const LOOK_EVERY_MS = 5_000

/** Looks whether a number whose queue is stopped has another token by now: then it is tried at once (AUTH-02). */
export interface TokenWatch {
  watch(number: string): void
  stop(): void
}

export function watchTokens(o: {
  timers: Timers
  token(number: string): Promise<string | undefined>
  tryAgain(number: string): Promise<void>
}): TokenWatch {
  const watched = new Map<string, () => void>()
  let stopped = false

  async function look(number: string, known: string | undefined): Promise<void> {
    const token = await o.token(number)
    if (!watched.has(number)) return
    if (token === known) return later(number, token)
    watched.delete(number)
    // Where that fails, the probe of each minute is still there.
    await o.tryAgain(number).catch(() => {})
  }

  function later(number: string, known: string | undefined): void {
    watched.set(
      number,
      o.timers.after(LOOK_EVERY_MS, () => void look(number, known)),
    )
  }

  return {
    watch(number) {
      // What ends while the bot stops may still close a queue.
      if (stopped || watched.has(number)) return
      watched.set(number, () => {})
      void o.token(number).then((token) => {
        if (watched.has(number)) later(number, token)
      })
    },
    stop() {
      stopped = true
      for (const cancel of watched.values()) cancel()
      watched.clear()
    },
  }
}
