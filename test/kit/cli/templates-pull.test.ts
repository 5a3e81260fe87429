import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  FRESH,
  INVOICE,
  LOGIN,
  PROMO,
  READY_EN,
  READY_SW,
  templatesFolder,
  THANKS,
  TITLED,
} from './templates-support.ts'

const { folder, add, replaceAll, templates } = templatesFolder()

const TYPED = new URL('../../surface/typed/templates.d.ts', import.meta.url)
const OUT = 'templates.d.ts'
const inFile = () => readFileSync(join(folder(), OUT), 'utf8')
const pull = () => templates(['pull', '--out', OUT])

describe('switchhook templates pull', () => {
  it('writes the types with which test/surface/typed compiles, and refuses mistakes [C SEND-11, C SEND-12, C SEND-13, C OTP-07]', async () => {
    const update = { name: 'order_update', body: '{{1}}: {{2}}' }
    await add(READY_SW, PROMO, LOGIN, THANKS, READY_EN, FRESH, TITLED, INVOICE)
    await add({ ...update, language: 'sw' }, { ...update, language: 'en' })
    await add({ ...READY_SW, name: 'pickup_reminder' }, { ...update, name: 'appointment', language: 'sw' })
    const { code, stdout, stderr } = await templates(['pull'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe(readFileSync(TYPED, 'utf8'))
  })

  it('writes them over earlier ones', async () => {
    await add(READY_EN)
    await pull()
    const before = inFile()
    await replaceAll({ ...READY_EN, body: 'Order {{1}} is ready at {{2}}' })
    expect(await pull()).toMatchObject({ code: 0, stdout: '', stderr: `The types of 1 templates are in ${OUT}.\n` })
    expect(inFile()).toBe(before.replace('[string]', '[string, string]'))
  })

  it('never overwrites a file that is not its own', async () => {
    await add(READY_EN)
    writeFileSync(join(folder(), OUT), 'export const mine = 1\n')
    for (const out of [OUT, '.', 'none/templates.d.ts']) {
      const { code, stdout, stderr } = await templates(['pull', '--out', out])
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^switchhook: the types cannot be written to .*\n$/)
    }
    expect(inFile()).toBe('export const mine = 1\n')
  })

  it('writes nothing if the number has no template, because then everything would compile', async () => {
    await add(READY_EN)
    await pull()
    const before = inFile()
    await replaceAll()
    for (const { code, stdout, stderr } of [await pull(), await templates(['pull'])])
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^switchhook: the number has no templates/)])
    expect(inFile()).toBe(before)
  })
})
