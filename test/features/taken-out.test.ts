import { cpSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { takeOut } from '../../tools/features/take-out.ts'
import { copySource } from '../support/source-copy.ts'

const src = resolve(import.meta.dirname, '../../src')
const FEATURES = readdirSync(join(src, 'features'))

const copy = copySource()
beforeAll(() => {
  expect(copy.compile()).toBe('')
}, 120_000)
afterAll(() => copy[Symbol.dispose]())

describe.each(FEATURES)('the sources without %s', (feature) => {
  it('compile: nothing but its own entry point or its lines in the lists need it', () => {
    for (const folder of ['features', 'built-in'])
      cpSync(join(src, folder), join(copy.folder, 'src', folder), { recursive: true })
    takeOut(feature, copy.folder)
    expect(copy.compile()).toBe('')
  })
})
