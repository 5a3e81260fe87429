import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chapters, FRONT } from './contents.ts'
import { ROOT } from './links.ts'
import { siteFileOf } from './stage.ts'

/**
 * Writes for language models into the built site: each staged page as Markdown beside its `.html`, `llms.txt`, a list of
 * these, and `llms-full.txt`, which contains the pages of the docs themselves.
 */
export function writeForModels(staged: string, site: string): void {
  for (const page of globSync('**/*.md', { cwd: staged })) cpSync(join(staged, page), join(site, page))
  const listed = chapters().map(({ title, pages }) => {
    const rows = pages.map((page) => `- [${page.title}](${siteFileOf(page.file)}): ${page.about}`)
    return [`## ${title}`, '', ...rows].join('\n')
  })
  const front = readFileSync(join(ROOT, FRONT), 'utf8')
  const files = [FRONT, ...chapters().flatMap(({ pages }) => pages.map(({ file }) => file))]
  const whole = files.map((file) => `<!-- ${file} -->\n\n${readFileSync(join(ROOT, file), 'utf8').trim()}\n`)
  const summary = /^A TypeScript framework[^]*?\.$/m.exec(front)?.[0].replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1') ?? ''
  writeFileSync(
    join(site, 'llms.txt'),
    `# Switchhook\n\n> ${summary.replaceAll('\n', ' ').replaceAll('**', '')}\n\nEach page of the site is Markdown at its address with \`.md\` in place of \`.html\`.\n\n${listed.join('\n\n')}\n`,
  )
  writeFileSync(join(site, 'llms-full.txt'), whole.join('\n'))
}
