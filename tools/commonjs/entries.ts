import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** What an app or a test imports: the name of its files here, and where its source is. */
export function entries(root: string): { readonly name: string; readonly source: string; readonly built: string }[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { 'switchhook-source'?: string; import?: { default: string } }>
  }
  return Object.entries(exports).flatMap(([entry, to]) => {
    const source = to['switchhook-source']
    const built = to.import?.default
    if (source === undefined || built === undefined) return []
    return [{ name: entry === '.' ? 'switchhook' : basename(entry), source, built }]
  })
}
