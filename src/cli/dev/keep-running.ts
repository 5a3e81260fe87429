import type { App, AppEnd } from './app.ts'

export interface KeepRunningOptions {
  readonly start: () => App
  readonly print: (line: string) => void
  /**
   * Whether an app that has ended by itself is restarted at the next change. `once_changed`: only if it was restarted
   * before, which shows that somebody is working on it.
   */
  readonly waits: 'always' | 'once_changed' | 'never'
}

/** An app that is restarted at each change. */
interface RestartingApp {
  /** Resolves when the app has ended and will not be restarted. */
  readonly ended: Promise<AppEnd>
  /** Restarts the app. Changes while it stops lead to a single start. */
  changed(file: string): void
  stop(how?: Parameters<App['stop']>[0]): Promise<void>
}

export function keepRunning({ start, print, waits }: KeepRunningOptions): RestartingApp {
  const stopped = Promise.withResolvers<void>()
  let change = Promise.withResolvers<string>()
  let app = start()
  let over = false
  let starts = 1

  const runOnce = async (): Promise<AppEnd | undefined> => {
    const what = await Promise.race([app.ended, change.promise, stopped.promise])
    if (what === undefined) return undefined
    if (typeof what === 'object') {
      // An app that crashed would crash again; only a change can mend it.
      if (waits === 'never' || (waits === 'once_changed' && starts === 1)) return what
      print(`${what.message} It starts again when a file changes.`)
      if ((await Promise.race([change.promise, stopped.promise])) === undefined) return undefined
    }
    print(`${await change.promise} changed: the app starts again.`)
    await app.stop()
    return undefined
  }

  const runAll = async (): Promise<AppEnd> => {
    for (;;) {
      const end = await runOnce()
      if (end !== undefined) return end
      if (over) return await app.ended
      change = Promise.withResolvers()
      app = start()
      starts++
    }
  }
  const ended = runAll()

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
