import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const RULE = /\b(?:(?:GEN|SEND|OTP|IDEM|TPL|AUTH|SIG|DEL|EVT|ERR)-\d{2}|F-\d{1,3})\b/g
/** Ids that only a test of unknown ids knows. */
const NOT_RULES = new Set(['SIG-99'])

const root = resolve(import.meta.dirname, '..')
const told = new Set(
  [...readFileSync(join(root, 'docs/rules.md'), 'utf8').matchAll(/^\| ([A-Z]+-\d+) \|/gm)].map((row) => row[1]),
)

describe('docs/rules.md', () => {
  it('has a row for every rule that code, tests, docs and examples cite', () => {
    const cited = citedIn('src', 'test', 'docs', 'examples', 'templates')
    expect([...cited].filter((rule) => !told.has(rule) && !NOT_RULES.has(rule))).toEqual([])
  })

  it('has no row for a rule that no test cites', () => {
    const proven = citedIn('test')
    expect([...told].filter((rule) => !proven.has(rule as string))).toEqual([])
  })
})

function citedIn(...folders: readonly string[]): ReadonlySet<string> {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:tsx?|md)$/.test(file) && !file.includes('node_modules'))
      .map((file) => join(root, folder, file)),
  )
  return new Set(files.flatMap((file) => readFileSync(file, 'utf8').match(RULE) ?? []))
}
