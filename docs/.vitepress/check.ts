import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Every link of a built site that leads to no file or heading, and every script, style and font that a browser would load from another site. */
export function brokenLinks(folder: string, base: string): string[] {
  const pages = globSync('**/*.html', { cwd: folder }).map((page) => page.replaceAll('\\', '/'))
  const anchors = new Map(pages.map((page) => [page, anchorsOf(read(folder, page))]))
  return pages.flatMap((page) =>
    referencesOf(read(folder, page))
      .filter((reference) => !leadsSomewhere(reference, page))
      .map(({ tag, address }) => `${page}: <${tag}> leads to ${address}, which is not there`),
  )

  function leadsSomewhere({ tag, address }: Reference, page: string): boolean {
    if (address.startsWith('data:')) return true
    if (/^(?:[a-z]+:|\/\/)/i.test(address)) return tag === 'a'
    const [path = '', anchor = ''] = decodeURI(address).split('#')
    const file = fileOf(path, page)
    if (file === undefined || !existsSync(join(folder, file))) return false
    return anchor === '' || anchors.get(file)?.has(anchor) === true
  }

  /** The file of the site at a path; undefined if another site has it. */
  function fileOf(path: string, page: string): string | undefined {
    if (path === '') return page
    const absolute = posix.resolve(base, posix.dirname(page), path)
    if (!`${absolute}/`.startsWith(base)) return undefined
    const file = absolute.slice(base.length)
    return file === '' || path.endsWith('/') ? posix.join(file, 'index.html') : file
  }
}

interface Reference {
  readonly tag: string
  readonly address: string
}

function referencesOf(html: string): Reference[] {
  return [...html.matchAll(/<(a|link|script|img|source|iframe)\b[^>]*?\s(?:href|src)="([^"]*)"/g)].map(
    ([, tag = '', address = '']) => ({ tag, address: address.replaceAll('&amp;', '&') }),
  )
}

function anchorsOf(html: string): Set<string> {
  return new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id))
}

function read(folder: string, page: string): string {
  return readFileSync(join(folder, page), 'utf8')
}
