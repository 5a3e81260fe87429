import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './links.ts'

/** One entry of the package: what an app imports from. */
export interface Entry {
  /** As an app writes it: `switchhook/express`. */
  readonly name: string
  readonly source: string
  /** The page of the site that has its reference. */
  readonly page: string
}

/** The entries of `exports` that have types, in their order. */
export function entries(): Entry[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, { 'switchhook-source'?: string }>
  }
  return Object.entries(exports).flatMap(([path, { 'switchhook-source': source }]) => {
    if (source === undefined) return []
    const name = path === '.' ? 'switchhook' : `switchhook/${path.slice('./'.length)}`
    return [{ name, source: join(ROOT, source), page: `reference/${name.split('/').at(-1)}.md` }]
  })
}
