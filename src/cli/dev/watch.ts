import { relative, resolve } from 'node:path'
import { reasonOf } from '../../base/errors.ts'

/** Never watched: installed packages, files that the app writes while it runs, and type declarations. */
const NOISE =
  /(?:^|\/)(?:node_modules|\.git|\.switchhook|coverage)(?:\/|$)|\.(?:db|sqlite)\d?(?:-\w+|\.[^/]*)?$|\.d\.[cm]?ts$/

/** Files that an app can be made of. Data files do not count: the app's own writes would restart it. */
const CODE = /\.[cm]?[jt]sx?$/

const TESTS = /(?:^|\/)(?:tests?|__tests__)\/|\.(?:test|spec)\.\w+$/

const SETTINGS = /^(?:\.env[^/]*|package\.json)$/

/** Saving a file often causes several changes; those within this time count as one. */
const SETTLED_MS = 100

const FILE_EVENTS: ReadonlySet<string> = new Set(['add', 'change', 'unlink'])

interface WatchCallbacks {
  /** Called after a change with one of the changed files. */
  readonly changed: (file: string) => void
  /** Called once if watching fails, with the reason. */
  readonly print: (line: string) => void
}

/**
 * Watches the code in the working directory, or only these files and folders in it. Resolves once the watcher is ready,
 * so that later changes are not missed.
 */
export async function watchFiles(
  paths: readonly string[],
  { changed, print }: WatchCallbacks,
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
  let latest: string | undefined
  const settled = () => {
    if (latest !== undefined) changed(latest)
    latest = undefined
  }
  watcher.on('all', (what, path) => {
    const file = slashed(relative('.', path))
    if (!FILE_EVENTS.has(what) || !isWanted(file)) return
    latest = file
    clearTimeout(timer)
    timer = setTimeout(settled, SETTLED_MS)
  })
  const { promise: watches, resolve: ready } = Promise.withResolvers<void>()
  watcher.once('ready', ready)
  watcher.once('error', (error) => {
    print(`Changes are no longer noticed, so restart the app manually: ${reasonOf(error)}`)
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

function isSource(file: string): boolean {
  return SETTINGS.test(file) || (CODE.test(file) && !TESTS.test(file))
}

/** A path with slashes on every system, and without a leading `./`. */
function slashed(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(\.\/)+/, '')
}
