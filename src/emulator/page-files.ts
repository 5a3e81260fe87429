import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { PAGE_POLICY, pageFileType } from '../base/built-page.ts'
import type { HttpAnswer, HttpRequest } from './http/messages.ts'
import { refuse } from './http/messages.ts'

/** The folder of the built page, both from the sources and from the published package. */
const FOLDER = new URL('../../dist/page/', import.meta.url)

/** Answers with a file of the page, or undefined if the path is none of its own. */
export async function pageFile({ method, path }: HttpRequest): Promise<HttpAnswer | undefined> {
  const name = path === '/' ? 'index.html' : path.slice(1)
  const type = pageFileType(name)
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
      'Content-Security-Policy': PAGE_POLICY,
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
