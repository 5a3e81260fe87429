import type { App, AppEnd } from './app.ts'

export interface KeepRunningOptions {
  readonly start: () => App
  readonly tell: (line: string) => void
  /**
   * Whether an app that has ended by itself is started again at the next change. `once_changed`: where it was started
   * again before, so that somebody works on it.
   */
  readonly waits: 'always' | 'once_changed' | 'never'
}

/** The app, started again at each change. */
export interface RestartingApp {
  /** Resolves when the app has ended and nothing is waited for. */
  readonly ended: Promise<AppEnd>
  /** Starts the app again. While it is stopping one start is enough, however many changes there are. */
  changed(file: string): void
  stop(how?: Parameters<App['stop']>[0]): Promise<void>
}

export function keepRunning({ start, tell, waits }: KeepRunningOptions): RestartingApp {
  const stopped = Promise.withResolvers<void>()
  let change = Promise.withResolvers<string>()
  let app = start()
  let over = false
  let lives = 1

  const oneLife = async (): Promise<AppEnd | undefined> => {
    const what = await Promise.race([app.ended, change.promise, stopped.promise])
    if (what === undefined) return undefined
    if (typeof what === 'object') {
      // Who crashes at once would crash again: only a change can have mended it.
      if (waits === 'never' || (waits === 'once_changed' && lives === 1)) return what
      tell(`${what.words} It starts again when a file changes.`)
      if ((await Promise.race([change.promise, stopped.promise])) === undefined) return undefined
    }
    tell(`${await change.promise} changed: the app starts again.`)
    await app.stop()
    return undefined
  }

  const live = async (): Promise<AppEnd> => {
    for (;;) {
      const end = await oneLife()
      if (end !== undefined) return end
      if (over) return await app.ended
      change = Promise.withResolvers()
      app = start()
      lives++
    }
  }
  const ended = live()

  return {
    ended,
    changed: (file) => change.resolve(file),
    async stop(how) {
      over = true
      stopped.resolve()
      await app.stop(how)
      await ended
    },
  }
}
