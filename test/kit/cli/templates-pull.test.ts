import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { switchhook } from './support.ts'
import { FRESH, LOGIN, PROMO, READY_EN, READY_SW, templatesFolder, THANKS } from './templates-support.ts'

const { emulator, folder, add, replaceAll, templates } = templatesFolder()

const OUT = 'templates.d.ts'
const inFile = () => readFileSync(join(folder(), OUT), 'utf8')
const write = (text: string) => writeFileSync(join(folder(), OUT), text)
const pull = (...args: string[]) => templates(['pull', '--out', OUT, ...args])
const check = () => pull('--check')

const BIOME = fileURLToPath(new URL('../../../node_modules/.bin/biome', import.meta.url))
const TWO_MORE = { ...READY_EN, body: 'Order {{1}} is ready at {{2}}, pay {{3}}' }

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

  it('requests them from the running emulator without an address', async () => {
    await add(READY_EN)
    const beside = { SWITCHHOOK_EMULATOR: emulator().url, SWITCHHOOK_CONTROL_TOKEN: emulator().controlToken }
    const { code, stdout } = await switchhook(['templates', 'pull'], beside, folder())
    expect([code, stdout]).toEqual([0, expect.stringContaining('en: { body: [string] }')])
  })

  it('exits with 1 for --check if the file differs or does not exist, and writes nothing', async () => {
    await add(READY_EN)
    expect([(await check()).code, existsSync(join(folder(), OUT))]).toEqual([1, false])
    await pull()
    expect(await check()).toEqual({ code: 0, stdout: '', stderr: '' })
    const before = inFile()
    await replaceAll(TWO_MORE)
    const { code, stdout, stderr } = await check()
    expect([code, stdout, stderr, inFile()]).toEqual([1, '', expect.stringContaining('is out of date'), before])
    write(before.slice(0, before.indexOf('order_ready')))
    expect((await check()).code).toBe(1)
  })

  it('finds no change after a formatter has changed the file, and finds real changes beneath it', async () => {
    await add(READY_EN, PROMO, LOGIN, FRESH, { name: 'a-b', language: 'sw', body: '{{1}}' })
    await pull()
    const formatter = { lineWidth: 40, indentStyle: 'tab', lineEnding: 'crlf' }
    const javascript = { formatter: { quoteStyle: 'double', semicolons: 'always' } }
    writeFileSync(join(folder(), 'biome.json'), JSON.stringify({ formatter, javascript }))
    const before = inFile()
    spawnSync(BIOME, ['format', '--write', OUT], { cwd: folder() })
    expect(inFile()).not.toBe(before)
    expect(await check()).toEqual({ code: 0, stdout: '', stderr: '' })
    write(inFile().replace('image', 'video'))
    expect((await check()).code).toBe(1)
  })

  it('never overwrites a file that is not its own, nor a read-only one, and reports it before any request', async () => {
    await add(READY_EN)
    write('export const mine = 1\n')
    for (const [out, environment] of [
      [OUT, { SWITCHHOOK_BASE_URL: 'http://127.0.0.1:9' }],
      ['.', {}],
      ['none/templates.d.ts', {}],
    ] as const) {
      const { code, stdout, stderr } = await templates(['pull', '--out', out], environment)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^switchhook: the types cannot be written to .*\n$/)
    }
    expect((await check()).code).toBe(1)
    expect(inFile()).toBe('export const mine = 1\n')
  })

  it('writes nothing if the number has no template, because then everything would compile', async () => {
    await add(READY_EN)
    await pull()
    const before = inFile()
    await replaceAll()
    for (const { code, stdout, stderr } of [await pull(), await check(), await templates(['pull'])])
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^switchhook: the number has no templates/)])
    expect(inFile()).toBe(before)
  })
})
