import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { slashed } from './watch.ts'

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
