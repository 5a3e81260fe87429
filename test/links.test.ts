import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
/** Every page of the repository, but not those of packages. */
const pages = globSync('**/*.md', { cwd: root, exclude: (path) => /(?:^|[\\/])(?:node_modules|dist)$/.test(path) })
  .map((page) => page.replaceAll('\\', '/'))
  .sort()

describe('the pages', () => {
  it.for(pages)('%s links to files and headings that are there', (page) => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(page, link))).toEqual([])
  })

  it('of docs are each in its index', () => {
    const index = linksOf('docs/README.md').map((link) => join('docs', link))
    const docs = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')
    expect(docs.filter((page) => !index.includes(page))).toEqual([])
  })

  it('can be reached from the README, those of docs', () => {
    const reached = new Set(['README.md'])
    for (const page of reached)
      for (const link of linksOf(page)) {
        const target = targetOf(page, link).file
        if (target.endsWith('.md') && existsSync(join(root, target))) reached.add(target)
      }
    expect(pages.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([])
  })
})

/** The relative links of a page, pictures included. */
function linksOf(page: string): string[] {
  const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, '')
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)/g)].map(([, link = '']) => link)
  const defined = [...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)].map(([, link = '']) => link)
  return [...inline, ...defined].filter((link) => !/^[a-z][a-z+.-]*:/i.test(link))
}

function leadsSomewhere(page: string, link: string): boolean {
  const { file, anchor } = targetOf(page, link)
  if (file.startsWith('..') || !existsSync(join(root, file))) return false
  return anchor === undefined || anchorsOf(file).includes(anchor)
}

function targetOf(page: string, link: string): { file: string; anchor: string | undefined } {
  const [path = '', anchor] = link.split('#')
  return { file: path === '' ? page : relative(root, resolve(root, dirname(page), path)), anchor }
}

/** The anchors of a page's headings, as GitHub makes them: the second of one title gets a number. */
function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>()
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => {
    const words = title.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    const anchor = words.trim().replaceAll(' ', '-')
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  })
}

/** A page without its blocks of code, in which a # begins a comment. */
function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8').replaceAll(/^```[^]*?^```/gm, '')
}
