import type { App, AppEnd } from './app.ts'

export interface KeepRunningOptions {
  readonly start: () => App
  readonly print: (line: string) => void
  /**
   * Says when an app that ended by itself is restarted at the next change. `once_changed`: only if it was restarted
   * before, which shows that somebody is working on it.
   */
  readonly restartAfterExit: 'always' | 'once_changed' | 'never'
}

/** How one run of the app was over: it ended by itself, a file changed, or `stop` was called. */
type RunEnd =
  | { readonly kind: 'ended'; readonly end: AppEnd }
  | { readonly kind: 'changed'; readonly file: string }
  | { readonly kind: 'stopped' }

interface RestartingApp {
  /** Resolves when the app has ended and will not be restarted. */
  readonly ended: Promise<AppEnd>
  /** Restarts the app. Changes while it stops lead to a single start. */
  changed(file: string): void
  stop(how?: Parameters<App['stop']>[0]): Promise<void>
}

export function keepRunning({ start, print, restartAfterExit }: KeepRunningOptions): RestartingApp {
  const stopped = Promise.withResolvers<void>()
  let change = Promise.withResolvers<string>()
  let app = start()
  let over = false
  let starts = 1

  const runOnce = async (): Promise<RunEnd> => {
    const ends = app.ended.then((end): RunEnd => ({ kind: 'ended', end }))
    const changes = change.promise.then((file): RunEnd => ({ kind: 'changed', file }))
    const stops = stopped.promise.then((): RunEnd => ({ kind: 'stopped' }))
    let run = await Promise.race([ends, changes, stops])
    if (run.kind === 'ended') {
      // An app that crashed would crash again; only a change can mend it.
      if (restartAfterExit === 'never' || (restartAfterExit === 'once_changed' && starts === 1)) return run
      print(`${run.end.message} It starts again when a file changes.`)
      run = await Promise.race([changes, stops])
    }
    if (run.kind === 'changed') {
      print(`${run.file} changed: the app starts again.`)
      await app.stop()
    }
    return run
  }

  const runAll = async (): Promise<AppEnd> => {
    for (;;) {
      const run = await runOnce()
      if (run.kind === 'ended') return run.end
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
