import type { Stats } from 'node:fs'
import { relative } from 'node:path'
import { reasonOf } from '../../base/errors.ts'

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

/** Which paths below the working directory a glob means: `**`, `*`, `?`, `{a,b}`, or a folder with all that is in it. */
export interface Glob {
  /** The folder or file that is looked at: what stands before the first wildcard. */
  readonly root: string
  matches(path: string): boolean
}

const WILD = /[*?{]/

export function readGlob(text: string): Glob {
  const glob = slashed(text).replace(/\/+$/, '')
  const parts = glob.split('/')
  const wild = parts.findIndex((part) => WILD.test(part))
  if (wild === -1) return { root: glob, matches: (path) => path === glob || path.startsWith(`${glob}/`) }
  const pattern = new RegExp(`^${parts.map(partPattern).join('')}$`)
  return { root: parts.slice(0, wild).join('/') || '.', matches: (path) => pattern.test(path) }
}

/** A path as globs say it, on every system, and without a `./` before it. */
export function slashed(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(\.\/)+/, '')
}

function partPattern(part: string, at: number, parts: readonly string[]): string {
  const isLast = at === parts.length - 1
  if (part === '**') return isLast ? '.+' : '(?:[^/]+/)*'
  return `${[...part.matchAll(/\*|\?|\{[^{}]*\}|[^*?{]+|./g)].map(([piece]) => piecePattern(piece)).join('')}${isLast ? '' : '/'}`
}

function piecePattern(piece: string): string {
  if (piece === '*') return '[^/]*'
  if (piece === '?') return '[^/]'
  if (/^\{.*\}$/.test(piece)) return `(?:${piece.slice(1, -1).split(',').map(literally).join('|')})`
  return literally(piece)
}

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
