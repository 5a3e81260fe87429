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

/** Watches the app's sources, or what these globs mean alone, below the working directory. */
export async function watchFiles(globs: readonly string[], { changed, tell }: Watching): Promise<AsyncDisposable> {
  const began = Date.now()
  const meant = globs.map(readGlob)
  const isMeant = (path: string) => (meant.length > 0 ? meant.some((glob) => glob.matches(path)) : SOURCE.test(path))
  const ignored = (file: string, stats?: Stats) => {
    const path = slashed(relative('.', file))
    return NOISE.test(path) || (stats?.isFile() === true && !isMeant(path))
  }
  const { watch } = await import('chokidar')
  // All are told of at first: so what changes while the folders are read is not missed.
  const watcher = watch(meant.length > 0 ? meant.map(({ root }) => root) : ['.'], { ignored, alwaysStat: true })
  let isReady = false
  let timer: NodeJS.Timeout | undefined
  watcher.on('all', (what, file, stats) => {
    const path = slashed(relative('.', file))
    const wasThere = !isReady && what === 'add' && stats !== undefined && stats.mtimeMs < began
    if (wasThere || !ABOUT_FILES.has(what)) return
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLED_MS, path)
  })
  watcher.once('ready', () => {
    isReady = true
  })
  watcher.once('error', (error) => tell(`Changes are not seen any more, so start it again by hand: ${reasonOf(error)}`))
  watcher.on('error', () => {})
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await watcher.close()
    },
  }
}
