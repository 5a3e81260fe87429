import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chapters, FRONT } from './contents.ts'
import { ROOT } from './links.ts'
import { siteFileOf } from './stage.ts'

/** Writes `llms.txt`, a list of all pages for language models, and `llms-full.txt`, which contains the pages themselves. */
export function writeForModels(staged: string): void {
  const listed = chapters().map(({ title, pages }) => {
    const rows = pages.map((page) => `- [${page.title}](${addressOf(page.file)}): ${page.about}`)
    return [`## ${title}`, '', ...rows].join('\n')
  })
  const front = readFileSync(join(ROOT, FRONT), 'utf8')
  const files = [FRONT, ...chapters().flatMap(({ pages }) => pages.map(({ file }) => file))]
  const whole = files.map((file) => `<!-- ${file} -->\n\n${readFileSync(join(ROOT, file), 'utf8').trim()}\n`)
  const summary = /^A TypeScript framework[^]*?\.$/m.exec(front)?.[0].replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1') ?? ''
  mkdirSync(join(staged, 'public'), { recursive: true })
  writeFileSync(
    join(staged, 'public/llms.txt'),
    `# Switchhook\n\n> ${summary.replaceAll('\n', ' ').replaceAll('**', '')}\n\n${listed.join('\n\n')}\n`,
  )
  writeFileSync(join(staged, 'public/llms-full.txt'), whole.join('\n'))
}

function addressOf(file: string): string {
  return siteFileOf(file).replace(/\.md$/, '.html')
}
