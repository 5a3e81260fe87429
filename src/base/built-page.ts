import { readError } from './errors.ts'
/** A built page runs only its own script and style, loads nothing from other hosts, and is framed by `framedBy` alone. */
const policy = (framedBy: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${framedBy}`,
  ].join('; ')

export const PAGE_POLICY = policy("'none'")
/** The emulator's policy: a page on this machine may show the emulator's phone page in a frame. */
export const LOCAL_PAGE_POLICY = policy('http://127.0.0.1:* http://localhost:*')

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
}

const NAME = /^(?:assets\/)?[\w-]+\.(html|js|css|svg|png)$/

const NOT_BUILT =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Switchhook</title>' +
  '<p>The page is not built. In the repository: <code>npm run build:page</code>.</p></html>\n'

/** Only names of this form are read, so a request's path cannot leave the folder. */
export function isPageFile(name: string): boolean {
  return NAME.test(name)
}

/** Undefined if `read` does not find the file. */
export async function builtPageFile<Body>(name: string, read: (name: string) => Promise<Body>) {
  const type = TYPES[NAME.exec(name)?.[1] ?? '']
  if (type === undefined) return undefined
  const body = await read(name).catch((error: unknown) => {
    if (readError(error).code !== 'ENOENT') throw error
    return name === 'index.html' ? NOT_BUILT : undefined
  })
  if (body === undefined) return undefined
  const headers = {
    'Content-Type': type,
    'Content-Security-Policy': PAGE_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // The names of files under assets/ contain a hash of their content.
    'Cache-Control': name.startsWith('assets/') ? 'private, max-age=31536000, immutable' : 'no-cache',
  }
  return { body, headers }
}
