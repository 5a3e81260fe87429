import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { reasonOf } from '../../base/errors.ts'

/** Never watched: installed packages, files that the app writes while it runs, and type declarations. */
const NOISE =
  /(?:^|\/)(?:node_modules|\.git|\.switchhook|coverage)(?:\/|$)|\.(?:db|sqlite)\d?(?:-\w+|\.[^/]*)?$|\.d\.[cm]?ts$/

/** Saving a file often causes several changes; those within this time count as one. */
const SETTLED_MS = 100

const FILE_EVENTS: ReadonlySet<string> = new Set(['add', 'change', 'unlink'])

interface WatchCallbacks {
  /** Tells whether the app starts again for this file; called when its change has settled, unless paths are given. */
  readonly isSource: (file: string) => boolean
  /** Called after a change with one of the changed files. */
  readonly changed: (file: string) => void
  /** Called once if watching fails, with the reason. */
  readonly print: (line: string) => void
}

/**
 * Watches the app's sources below the working directory, or only these files and folders in it. Resolves once the
 * watcher is ready, so that later changes are not missed.
 */
export async function watchFiles(
  paths: readonly string[],
  { isSource, changed, print }: WatchCallbacks,
): Promise<AsyncDisposable> {
  const named = paths.map((path) => slashed(relative('.', path)))
  const isNamed = (file: string) => named.some((path) => path === '' || file === path || file.startsWith(`${path}/`))
  const isWanted = named.length > 0 ? isNamed : isSource
  const { watch } = await import('chokidar')
  // The watcher looks for a removed root in the folder above it. Above `.` it finds `.`, and looks again without a pause.
  const watcher = watch(resolve('.'), {
    ignored: (file) => NOISE.test(slashed(relative('.', file))),
    ignoreInitial: true,
  })
  let timer: NodeJS.Timeout | undefined
  const files = new Set<string>()
  const settled = () => {
    const file = [...files].findLast(isWanted)
    files.clear()
    if (file !== undefined) changed(file)
  }
  watcher.on('all', (what, file) => {
    if (!FILE_EVENTS.has(what)) return
    files.add(slashed(relative('.', file)))
    clearTimeout(timer)
    timer = setTimeout(settled, SETTLED_MS)
  })
  const { promise: watches, resolve: ready } = Promise.withResolvers<void>()
  watcher.once('ready', ready)
  watcher.once('error', (error) => {
    print(`Changes are no longer seen, so restart the app manually: ${reasonOf(error)}`)
    ready()
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

/** A path with slashes on every system, and without a leading `./`. */
function slashed(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(\.\/)+/, '')
}

/** Files that an app can be made of. Data files do not count: the app's own writes would restart it. */
const CODE = /\.[cm]?[jt]sx?$/

/** No app loads these while it runs, even where nobody tells what it loads. */
const TESTS = /(?:^|\/)(?:tests?|__tests__)\/|\.(?:test|spec)\.\w+$/

/** Set up the app without being loaded as code. */
const SETTINGS = /^(?:\.env[^/]*|package\.json)$/

/** The app's own sources: what it has loaded, as far as Node reports that. */
export interface Sources {
  /** Notes a message of the app's process: Node reports there what it loads, as for its own `--watch`. */
  heard(message: unknown): void
  /** Says whether the app runs. One that has crashed may need a file that it could not load. */
  setRunning(isRunning: boolean): void
  /** Tells whether the app is to start again if this file, relative to the working directory, has changed. */
  includes(file: string): boolean
}

/** Makes Node report to its parent process what it loads; other programs ignore the variable. */
export const REPORT_LOADED = { WATCH_REPORT_DEPENDENCIES: '1' } as const

export function createSources(): Sources {
  const loaded = new Set<string>()
  let isRunning = false
  return {
    heard(message) {
      for (const file of loadedIn(message)) loaded.add(file)
    },
    setRunning(running) {
      isRunning = running
    },
    includes: (file) =>
      SETTINGS.test(file) || (isRunning && loaded.size > 0 ? loaded.has(file) : CODE.test(file) && !TESTS.test(file)),
  }
}

/** The files below the working directory, and not installed, that a report names. */
function loadedIn(message: unknown): string[] {
  if (typeof message !== 'object' || message === null) return []
  const reports = message as Readonly<Record<string, unknown>>
  return ['watch:import', 'watch:require']
    .flatMap((kind) => reports[kind] ?? [])
    .flatMap((name) => (typeof name === 'string' ? pathOf(name) : []))
    .map((path) => slashed(relative('.', path)))
    .filter((path) => !path.startsWith('../') && !path.includes('node_modules/'))
}

function pathOf(name: string): string[] {
  if (!name.includes(':') || /^[a-z]:[\\/]/i.test(name)) return [name]
  return name.startsWith('file:') ? [fileURLToPath(name)] : []
}
