import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { pageFileType } from '../base/built-page.ts'
import { GUARDS, type PageAnswer } from './http.ts'

/** The folder of the built page, both from the sources and from the published package. */
const FOLDER = new URL('../../dist/admin-page/', import.meta.url)

/** The name of the page's file that a path ends in; undefined if it ends in none. */
export function fileIn(path: string): string | undefined {
  if (path.endsWith('/')) return 'index.html'
  return /\/((?:assets\/)?[\w-]+\.(js|css|svg))$/.exec(path)?.[1]
}

/** Answers with a file of the page; undefined if there is none. */
export async function fileAnswer(name: string): Promise<PageAnswer | undefined> {
  const type = pageFileType(name)
  if (type === undefined) return undefined
  const body = (await readText(name)) ?? (name === 'index.html' ? NOT_BUILT : undefined)
  if (body === undefined) return undefined
  return {
    status: 200,
    headers: {
      ...GUARDS,
      'content-type': type,
      // Files under assets/ have a hash of their content in their name.
      'cache-control': name.startsWith('assets/') ? 'private, max-age=31536000, immutable' : 'no-cache',
    },
    body,
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
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Switchhook</title>' +
  '<p>The page is not built. In the repository: <code>npm run build:page</code>.</p></html>\n'
