import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allMutants } from './mutants/driver/all.ts'
import { PROMISES, WITHOUT_FAULT } from './promises.ts'

const root = resolve(import.meta.dirname, '..')
const faults = await allMutants()
const planted = new Set(faults.flatMap(({ promise }) => promise ?? []))

describe('the register of promises', () => {
  it('has a planted fault for each promise, or a test that is named', () => {
    expect(Object.keys(PROMISES).filter((id) => !planted.has(id) && WITHOUT_FAULT[id] === undefined)).toEqual([])
  })

  it('has each promise that a planted fault or a test names', () => {
    expect([...planted, ...Object.keys(WITHOUT_FAULT)].filter((id) => PROMISES[id] === undefined)).toEqual([])
  })

  it('names tests that exist', () => {
    const missing = Object.values(WITHOUT_FAULT).filter(
      ([file, title]) => !readFileSync(join(root, file), 'utf8').includes(title),
    )
    expect(missing).toEqual([])
  })
})
