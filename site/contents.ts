import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, targetOf } from './links.ts'

/** The page with which the site begins, and the one that lists all others. */
export const FRONT = 'README.md'
export const INDEX = 'docs/README.md'

export interface Chapter {
  readonly title: string
  readonly pages: readonly { readonly title: string; readonly file: string; readonly about: string }[]
}

/** The chapters of the docs in their order: the tables of the index, each with a title in its head. */
export function chapters(): Chapter[] {
  const tables = readFileSync(join(ROOT, INDEX), 'utf8').split(/^\| ([^|[]+) \| \|$/m)
  return tables.flatMap((title, at) => (at % 2 === 1 ? [{ title, pages: pagesIn(tables[at + 1] ?? '') }] : []))
}

/** The page that a row begins with. */
function pagesIn(table: string): Chapter['pages'] {
  return [...table.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\) \| (.*) \|$/gm)].map(
    ([, title = '', link = '', about = '']) => ({
      title,
      file: targetOf(INDEX, link).file,
      about,
    }),
  )
}
