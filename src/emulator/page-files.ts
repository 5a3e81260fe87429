import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { HttpAnswer, HttpRequest } from './http/messages.ts'
import { refuse } from './http/messages.ts'

/** The folder of the built page, both from the sources and from the published package. */
const FOLDER = new URL('../../dist/page/', import.meta.url)

/** The page runs only its own script and style, loads nothing from elsewhere, and cannot be framed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Answers with a file of the page, or undefined if the path is none of its own. */
export async function pageFile({ method, path }: HttpRequest): Promise<HttpAnswer | undefined> {
  const name = path === '/' ? 'index.html' : path.slice(1)
  // Only such names are read, so that no path leads out of the folder.
  const [, extension = ''] = /^(?:assets\/)?[\w-]+\.(html|js|css|svg)$/.exec(name) ?? []
  const type = TYPES[extension]
  if (type === undefined) return undefined
  // Tools that wait until the page is up ask with HEAD.
  if (method !== 'GET' && method !== 'HEAD')
    throw refuse(405, 'method_not_allowed', 'The method must be GET.', { Allow: 'GET, HEAD' })
  const body = await readText(name)
  if (body === undefined && path !== '/') return undefined
  return {
    status: 200,
    body: body ?? NOT_BUILT,
    headers: {
      'Content-Type': type,
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      // Files under assets/ have a hash of their content in their name.
      'Cache-Control': name.startsWith('assets/') ? 'max-age=31536000, immutable' : 'no-cache',
    },
  }
}

async function readText(name: string): Promise<string | undefined> {
  try {
    return await readFile(fileURLToPath(new URL(name, FOLDER)), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const NOT_BUILT =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Switchhook emulator</title>' +
  '<p>The page is not built. In the repository: <code>npm run build:page</code>.'
