import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anchorsOf, linksOf, ROOT, targetOf } from '../docs/.vitepress/links.ts'

const FOREIGN = /(?:^|[\\/])(?:node_modules|dist|build)$/
/** Every page of the repository, but not those of packages, nor copies of them. */
const pages = globSync('**/*.md', { cwd: ROOT, exclude: (path) => FOREIGN.test(path) })
  .map((page) => page.replaceAll('\\', '/'))
  .sort()

describe('the pages', () => {
  it.for(pages)('%s links to existing files and headings', (page) => {
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
        if (target.endsWith('.md') && existsSync(join(ROOT, target))) reached.add(target)
      }
    expect(pages.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([])
  })
})

function leadsSomewhere(page: string, link: string): boolean {
  const { file, anchor } = targetOf(page, link)
  if (file.startsWith('..') || !existsSync(join(ROOT, file))) return false
  return anchor === undefined || anchorsOf(file).includes(anchor)
}
