import { readFile } from 'node:fs/promises'
import { builtPageFile, isPageFile } from '../base/built-page.ts'
import type { HttpAnswer, HttpRequest } from './http/messages.ts'
import { refuse } from './http/messages.ts'

/** The folder of the built page, both from the sources and from the published package. */
const FOLDER = new URL('../../dist/page/', import.meta.url)

/** Answers with a file of the page, or undefined if the path is none of its own. */
export async function pageFile({ method, path }: HttpRequest): Promise<HttpAnswer | undefined> {
  const name = path === '/' ? 'index.html' : path.slice(1)
  if (!isPageFile(name)) return undefined
  // Tools that wait until the page is up ask with HEAD.
  if (method !== 'GET' && method !== 'HEAD')
    throw refuse(405, 'method_not_allowed', 'The method must be GET.', { Allow: 'GET, HEAD' })
  const file = await builtPageFile(name, (inside) => readFile(new URL(inside, FOLDER), 'utf8'))
  return file && { status: 200, ...file }
}
