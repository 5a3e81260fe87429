import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, posix } from 'node:path'
import { FRONT, INDEX } from './contents.ts'
import { isRelative, linksOf, ROOT, targetOf } from './links.ts'

/** Changes a page's Markdown before it is written. */
export type Addition = (page: string, text: string) => string

/**
 * Copies the docs, and whatever they lead to, into `folder`, from which the generator makes the site. A page keeps its
 * path but for `docs/`, and a file that is no page becomes one that shows it. Resolves with the pages of the repository.
 */
export function stage(folder: string, add: Addition): string[] {
  const files = reachedFrom(FRONT)
  for (const file of files) {
    const to = join(folder, siteFileOf(file))
    mkdirSync(dirname(to), { recursive: true })
    if (isPicture(file)) cpSync(join(ROOT, file), to)
    else if (isPage(file)) writeFileSync(to, withLinksOfSite(file, add(file, readFileSync(join(ROOT, file), 'utf8'))))
    else writeFileSync(to, listing(file))
  }
  return files.filter(isPage)
}

/** Every file that can be reached from a page by links. */
function reachedFrom(front: string): string[] {
  const reached = new Set([front])
  for (const file of reached)
    if (isPage(file))
      for (const link of linksOf(file)) {
        const target = targetOf(file, link).file
        if (!existsSync(join(ROOT, target))) throw new Error(`${file}: ${link} leads nowhere`)
        reached.add(target)
      }
  return [...reached]
}

/** The file of the staged site that shows a file of the repository. */
export function siteFileOf(file: string): string {
  if (file === INDEX) return 'contents.md'
  const path = file.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md')
  return isPage(file) || isPicture(file) ? path : `${path}.md`
}

function withLinksOfSite(page: string, text: string): string {
  const from = posix.dirname(siteFileOf(page))
  return outsideCode(text, (prose) =>
    prose.replaceAll(/(\]\(\s*<?)([^)\s>]+)/g, (whole, before: string, link: string) => {
      if (!isRelative(link) || link.startsWith('#')) return whole
      const { file, anchor } = targetOf(page, link)
      const path = posix.relative(from, siteFileOf(file))
      return `${before}./${path}${anchor === undefined ? '' : `#${anchor}`}`
    }),
  )
}

/** Changes what stands in no code, neither in a block nor in a line. */
function outsideCode(text: string, change: (prose: string) => string): string {
  const parts = text.split(/(^```[^]*?^```|`[^`\n]*`)/m)
  return parts.map((part, at) => (at % 2 === 1 ? part : change(part))).join('')
}

/** A page that shows a file. */
function listing(file: string): string {
  const code = readFileSync(join(ROOT, file), 'utf8')
  const language = { '.cjs': 'js', '.yml': 'yaml', '.service': 'ini' }[extname(file)] ?? extname(file).slice(1)
  return `# ${posix.basename(file)}\n\n\`${file}\` of the repository:\n\n\`\`\`\`${language}\n${code}\`\`\`\`\n`
}

function isPage(file: string): boolean {
  return file.endsWith('.md')
}

function isPicture(file: string): boolean {
  return ['.png', '.svg'].includes(extname(file))
}
