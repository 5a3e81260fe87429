import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { chapters } from '../../docs/.vitepress/contents.ts'
import { brokenLinks } from '../../docs/.vitepress/check.ts'
import { writeForModels } from '../../docs/.vitepress/models.ts'
import { siteFileOf, stage } from '../../docs/.vitepress/stage.ts'

const world = mkdtempSync(join(tmpdir(), 'switchhook-site-'))
afterAll(() => rmSync(world, { recursive: true, force: true }))

function folder(files: Record<string, string> = {}): string {
  const made = mkdtempSync(join(world, '-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(made, name)), { recursive: true })
    writeFileSync(join(made, name), text)
  }
  return made
}

describe('the staged docs', () => {
  const staged = folder()
  const pages = stage(staged, (_page, text) => text)
  const read = (page: string) => readFileSync(join(staged, siteFileOf(page)), 'utf8')

  it('have every page of the index', () => {
    const listed = chapters().flatMap((chapter) => chapter.pages.map(({ file }) => file))
    expect(listed.length).toBeGreaterThan(20)
    expect(pages).toEqual(expect.arrayContaining(listed))
  })

  it('lead from page to page without docs/, and to a page for each file that is not one', () => {
    expect(read('README.md')).toContain('[Start a bot](./start.md)')
    expect(read('docs/README.md')).toContain('[Security](./SECURITY.md)')
    expect(read('docs/mounting.md')).toContain('[fastify.ts](./examples/mounting/fastify.ts.md)')
    expect(read('SECURITY.md')).toMatch(/\]\(\.\/[a-z-]+\.md/)
  })

  it('have a list and a full text for language models', () => {
    const site = folder()
    writeForModels(staged, site)
    const list = readFileSync(join(site, 'llms.txt'), 'utf8')
    expect(list).toMatch(
      /^# Switchhook\n\n> A TypeScript framework [^\n]*\n\n[^\n]+\n\n## Get started\n\n- \[Start a bot\]\(start\.md\): from /,
    )
    const whole = readFileSync(join(site, 'llms-full.txt'), 'utf8')
    expect(whole).toContain('\n# Sending and templates\n')
  })

  it('are each Markdown at one address, which the list for language models names', () => {
    const site = folder()
    writeForModels(staged, site)
    const listed = [...readFileSync(join(site, 'llms.txt'), 'utf8').matchAll(/^- \[[^\]]+\]\(([^)]+)\): /gm)]
    expect(listed.length).toBeGreaterThan(20)
    for (const [, address = ''] of listed) expect(readFileSync(join(site, address), 'utf8')).toMatch(/^# /)
    for (const page of pages) expect(readFileSync(join(site, siteFileOf(page)), 'utf8')).toBe(read(page))
  })

  it('lead to existing files', () => {
    const dead = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((\.\.?\/[^)#\s]+)/g)]
        .map(([, link = '']) => join(dirname(siteFileOf(page)), link))
        .filter((file) => !existsSync(join(staged, file))),
    )
    expect(dead).toEqual([])
  })

  it('show a file unchanged', () => {
    const shown = readFileSync(join(staged, 'examples/mounting/fastify.ts.md'), 'utf8')
    expect(shown).toContain(readFileSync(new URL('../../examples/mounting/fastify.ts', import.meta.url), 'utf8'))
  })
})

describe('the check of the built site', () => {
  const found = (files: Record<string, string>, base = '/') => brokenLinks(folder(files), base)

  it('accepts links to pages and headings, relative ones too, and to other sites', () => {
    const index =
      '<a href="/bot/in/other.html#there">1</a><a href="./in/other.html">2</a><a href="https://example.com">3</a>'
    const other = '<h2 id="there">4</h2><a href="../#top">5</a><a href="#there">6</a>'
    expect(found({ 'index.html': `<p id="top">${index}`, 'in/other.html': other }, '/bot/')).toEqual([])
  })

  it.for([
    ['a page that is not there', '<a href="./gone.html">x</a>', './gone.html'],
    ['a heading that is not there', '<a href="#gone">x</a>', '#gone'],
    ['a heading of another page', '<a class="a" href="/other.html#here">x</a>', '/other.html#here'],
    ['a picture that is not there', '<img alt="" src="/gone.png">', '/gone.png'],
    ['a script of another site', '<script src="https://example.com/x.js"></script>', 'https://example.com/x.js'],
    ['a font of another site', '<link rel="preload" href="//example.com/x.woff2">', '//example.com/x.woff2'],
  ])('finds %s', ([, html = '', address]) => {
    const pages = { 'index.html': `<p id="here">${html}`, 'other.html': '' }
    expect(found(pages)).toEqual([expect.stringContaining(`leads to ${address}, `)])
  })

  it('finds links out of the folder under which the site is served', () => {
    expect(found({ 'index.html': '<a href="/index.html">x</a>' }, '/bot/')).toHaveLength(1)
  })
})
