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

/** The chapters of the docs in their order: the headings of the index, each with a list of pages. */
export function chapters(): Chapter[] {
  const [, ...sections] = readFileSync(join(ROOT, INDEX), 'utf8').split(/^## /m)
  return sections.map((section) => ({ title: section.slice(0, section.indexOf('\n')), pages: pagesIn(section) }))
}

function pagesIn(section: string): Chapter['pages'] {
  return [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\): (.*)$/gm)].map(([, title = '', link = '', about = '']) => ({
    title,
    file: targetOf(INDEX, link).file,
    about,
  }))
}
