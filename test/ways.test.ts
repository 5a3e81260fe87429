import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const doc = readFileSync(join(root, 'docs/architecture.md'), 'utf8')

/** The files that docs/architecture.md lists for a way, in its table. */
function filesOf(heading: string): readonly string[] {
  const section = doc.split(/^### /m).find((part) => part.startsWith(heading)) ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  return rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] as string))
}

describe('docs/architecture.md', () => {
  it.each([
    ['A delivery', 24],
    ['The same over PostgreSQL', 24],
    ['A reply', 22],
    ['A status', 14],
    ['An answer', 12],
    ['A send in the emulator', 20],
    ['A backtest', 16],
  ])('tells the way of "%s" in at most %i files, all of which exist', (heading, most) => {
    const files = new Set(filesOf(heading))
    expect(files.size).toBeGreaterThan(5)
    expect(files.size).toBeLessThanOrEqual(most)
    expect([...files].filter((file) => !existsSync(join(root, 'src', file)))).toEqual([])
  })

  it('has a row for every module', () => {
    for (const module of ['app', 'contract', 'base', 'adapters', 'receive', 'payload', 'ingest', 'lanes', 'routes'])
      expect(doc).toContain(`| \`${module}/\` |`)
    for (const module of ['dispatch', 'outbox', 'client', 'content', 'stores', 'maintenance', 'report', 'comfort'])
      expect(doc).toContain(`| \`${module}/\` |`)
    for (const module of ['conversations', 'emulator', 'page', 'testing', 'verify', 'backtest', 'cli'])
      expect(doc).toContain(`| \`${module}/\` |`)
  })
})
