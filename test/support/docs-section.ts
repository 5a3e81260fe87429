import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

export const DOCS = resolve(import.meta.dirname, '../../docs')

/** Writes a part of a page, between its marks; everything else on the page is written manually. */
export function writeSection(page: string, { name, by }: { name: string; by: string }, generated: string): void {
  const file = resolve(DOCS, page)
  const text = readFileSync(file, 'utf8')
  const [begin, end] = [`<!-- ${name}: written by ${by} -->`, `<!-- end of ${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/${page} has no marks of ${name}`)
  writeFileSync(file, `${text.slice(0, from)}${begin}\n\n${generated}\n\n${text.slice(to)}`)
}
