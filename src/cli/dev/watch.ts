import type { Stats } from 'node:fs'
import { relative } from 'node:path'
import { reasonOf } from '../../base/errors.ts'
import { readGlob, slashed } from './globs.ts'

/** What an app is made of; its data are not, or it would start again by its own doing. */
const SOURCE = /(?:\.(?:[cm]?[jt]sx?)|(?:^|\/)\.env[^/]*|(?:^|\/)package\.json)$/

/** Never looked at: what is installed, what is written while it runs, types alone. */
const NOISE =
  /(?:^|\/)(?:node_modules|\.git|\.switchhook|coverage)(?:\/|$)|\.(?:db|sqlite)\d?(?:-\w+|\.[^/]*)?$|\.d\.[cm]?ts$/

/** A save is often several changes; what follows within this is one. */
const SETTLED_MS = 100

const ABOUT_FILES: ReadonlySet<string> = new Set(['add', 'change', 'unlink'])

export interface Watching {
  /** Hears of a change, and one of the files that changed. */
  readonly changed: (file: string) => void
  /** Hears once that watching does not work, and why. */
  readonly tell: (line: string) => void
}

/**
 * Watches the app's sources, or what these globs mean alone, below the working directory. Resolves when it does: what
 * changes from then on is not missed.
 */
export async function watchFiles(globs: readonly string[], { changed, tell }: Watching): Promise<AsyncDisposable> {
  const meant = globs.map(readGlob)
  const isMeant = (path: string) => (meant.length > 0 ? meant.some((glob) => glob.matches(path)) : SOURCE.test(path))
  const ignored = (file: string, stats?: Stats) => {
    const path = slashed(relative('.', file))
    return NOISE.test(path) || (stats?.isFile() === true && !isMeant(path))
  }
  const { watch } = await import('chokidar')
  const watcher = watch(meant.length > 0 ? meant.map(({ root }) => root) : ['.'], { ignored, ignoreInitial: true })
  let timer: NodeJS.Timeout | undefined
  watcher.on('all', (what, file) => {
    if (!ABOUT_FILES.has(what)) return
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLED_MS, slashed(relative('.', file)))
  })
  const { promise: watches, resolve } = Promise.withResolvers<void>()
  watcher.once('ready', resolve)
  watcher.once('error', (error) => {
    tell(`Changes are not seen any more, so start it again by hand: ${reasonOf(error)}`)
    resolve()
  })
  watcher.on('error', () => {})
  await watches
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await watcher.close()
    },
  }
}
