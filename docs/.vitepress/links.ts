import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')

/** A link of a page: a file of the repository, and perhaps a heading in it. */
export interface Target {
  readonly file: string
  readonly anchor: string | undefined
}

/** A page of the repository without its blocks of code, in which a # begins a comment. */
export function proseOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```[^]*?^```/gm, '')
}

/** The relative links of a page, pictures included. */
export function linksOf(page: string): string[] {
  const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, '')
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)/g)].map(([, link = '']) => link)
  const defined = [...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)].map(([, link = '']) => link)
  return [...inline, ...defined].filter(isRelative)
}

export function isRelative(link: string): boolean {
  return !/^[a-z][a-z+.-]*:/i.test(link)
}

export function targetOf(page: string, link: string): Target {
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), path))
  return { file: file.replaceAll('\\', '/'), anchor }
}

/** The anchors of a page's headings: the second of one title gets a number. */
export function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>()
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => {
    const anchor = slugOf(title)
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  })
}

/** The anchor of a heading, as GitHub makes it. The site makes the same, so that a link holds in both. */
export function slugOf(title: string): string {
  const words = title.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '')
  return words.trim().replaceAll(' ', '-')
}
