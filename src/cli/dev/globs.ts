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
