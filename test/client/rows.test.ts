import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROWS = 152
const tests = resolve(import.meta.dirname, '..')
const rows = readFileSync(resolve(import.meta.dirname, 'rows.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, row, holds = '', proven = ''] = /^\| (\d+) \| (.+?) \| (.+) \|$/.exec(line) ?? []
    return row === undefined ? [] : [{ row: Number(row), holds, proven }]
  })

describe('the table of the rows', () => {
  it('has each of the 152 once, in their order', () => {
    expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: ROWS }, (_, at) => at + 1))
  })

  it('names tests that exist, by words that stand in them', () => {
    const wrong = rows.flatMap(({ row, proven }) =>
      [...proven.matchAll(/`([^`]+\.test\.ts)` "([^"]+)"/g)]
        .filter(([, file = '', words = '']) => !textOf(file).includes(words))
        .map(([named]) => `${row}: ${named}`),
    )
    expect(wrong).toEqual([])
  })

  it('says of each row where it is proven, or why not here', () => {
    const silent = rows.filter(
      ({ holds, proven }) => holds !== 'reply' && holds !== '—' && !/`[^`]+\.test\.ts` "/.test(proven),
    )
    expect(silent.map(({ row }) => row)).toEqual([])
  })
})

function textOf(file: string): string {
  try {
    return readFileSync(resolve(tests, file), 'utf8').replaceAll("\\'", "'")
  } catch {
    return ''
  }
}
