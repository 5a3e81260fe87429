import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LOGIN, PROMO, READY_EN, READY_SW, templatesFolder, THANKS } from './templates-support.ts'

const { folder, add, replaceAll, templates } = templatesFolder()

const OUT = 'templates.d.ts'
const inFile = () => readFileSync(join(folder(), OUT), 'utf8')
const pull = () => templates(['pull', '--out', OUT])

describe('switchhook templates pull', () => {
  it('writes names, languages and parameters as a module, and codes separately [C SEND-11, C SEND-13, C OTP-07]', async () => {
    await add(READY_SW, PROMO, LOGIN, THANKS, READY_EN)
    const { code, stdout, stderr } = await templates(['pull'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe(`// written by \`switchhook templates pull\`
// The number's templates as the service listed them: do not edit this, run the command again when they change.
export {}

declare module 'switchhook' {
  interface Templates {
    order_ready: {
      en: { body: [string] }
      sw: { body: [string] }
    }
    promo: {
      en_US: { header: { image: string }; body: [string, string]; buttons: [{ payload: string | { id: string; title: string } } | null, null, string | { url: string }, ({ payload: string | { id: string; title: string } } | null)?] }
    }
    thanks: {
      sw: { body?: [] }
    }
  }
  interface OneTimeCodes {
    login_code: {
      sw: string
    }
  }
}
`)
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
