import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copySource } from '../support/source-copy.ts'

const FEATURES = readdirSync(new URL('../../src/features', import.meta.url))

const copy = copySource()
beforeAll(() => {
  expect(copy.compile()).toBe('')
}, 120_000)
afterAll(() => copy[Symbol.dispose]())

describe.each(FEATURES)('the sources without %s', (feature) => {
  it('compile: nothing but its own entry point needs it', () => {
    const folder = join(copy.folder, 'src/features', feature)
    const aside = join(copy.folder, feature)
    renameSync(folder, aside)
    expect(copy.compile()).toBe('')
    renameSync(aside, folder)
  })
})
