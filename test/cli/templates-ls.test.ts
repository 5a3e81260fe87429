import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { jsonLines, switchhook } from './support.ts'
import { FRESH, LOGIN, PROMO, READY_SW, templatesFolder, THANKS, TOKEN } from './templates-support.ts'

const { emulator, folder, add, templates } = templatesFolder()

describe('switchhook templates ls', () => {
  it('lists a line each, the newest first: what fills it, whether it is sendable and why not [C TPL-04 OTP-07]', async () => {
    await add(READY_SW, PROMO, LOGIN, FRESH, THANKS)
    const { code, stdout, stderr } = await templates(['ls'])
    expect([code, stderr]).toEqual([0, ''])
    const image = 'header image, body 2, buttons quick_reply + static + url + quick_reply'
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['NAME', 'LANGUAGE', 'CATEGORY', 'STATUS', 'SENDABLE', 'PARAMETERS', 'WHY NOT'],
      ['thanks', 'sw', 'UTILITY', 'PAUSED', 'no', 'none', 'The template is paused.'],
      ['fresh', 'sw', 'UTILITY', 'APPROVED', 'yes', 'not known yet'],
      ['login_code', 'sw', 'AUTHENTICATION', 'APPROVED', 'yes', 'one-time code'],
      ['promo', 'en_US', 'MARKETING', 'APPROVED', 'yes', image],
      ['order_ready', 'sw', 'UTILITY', 'APPROVED', 'yes', 'body 1'],
      [''],
    ])
  })

  it('prints an object a line with --json, all, or those alone that are sendable or not [C TPL-01]', async () => {
    await add(READY_SW, THANKS, FRESH)
    const all = await templates(['ls', '--json'])
    expect([all.code, all.stderr]).toEqual([0, ''])
    const [fresh, thanks, ready] = jsonLines(all.stdout)
    expect([fresh, ready]).toMatchObject([
      { name: 'fresh', parameters: null },
      { name: 'order_ready', sendable: true, unsendableReason: null, parameters: { header: 0, body: 1, buttons: [] } },
    ])
    expect(thanks).toEqual({
      id: expect.any(String),
      name: 'thanks',
      language: 'sw',
      category: 'UTILITY',
      status: 'PAUSED',
      sendable: false,
      unsendableReason: 'The template is paused.',
      parameters: { header: 0, body: 0, buttons: [] },
    })
    const names = async (which: string) =>
      jsonLines((await templates(['ls', '--json', '--sendable', which])).stdout).map(({ name }) => name)
    expect([await names('true'), await names('false')]).toEqual([['fresh', 'order_ready'], ['thanks']])
  })

  it('reads every page, and says if there is none [C TPL-02]', async () => {
    expect(await templates(['ls'])).toEqual({ code: 0, stdout: '', stderr: 'No such template.\n' })
    await add(...Array.from({ length: 201 }, (_, n) => ({ name: `t${n}`, language: 'sw', body: 'x' })))
    expect(jsonLines((await templates(['ls', '--json'])).stdout)).toHaveLength(201)
  })

  it('takes the service of the flags, else of the environment, and the number that is named', async () => {
    const [first, second] = [emulator().phoneNumberId, '255799000222']
    await emulator().account.set({ numbers: [{ id: first }, { id: second }] })
    await add({ ...READY_SW, number: first }, { ...THANKS, number: second })
    const names = async (args: readonly string[], more: Record<string, string>) =>
      jsonLines((await templates(['ls', '--json', ...args], more)).stdout).map(({ name }) => name)
    const elsewhere = { SWITCHHOOK_BASE_URL: 'http://127.0.0.1:9', SWITCHHOOK_ACCESS_TOKEN: 'another' }
    const flags = ['--base-url', emulator().url, '--token', TOKEN, '--phone-number-id', second]
    expect(await names(flags, { ...elsewhere, SWITCHHOOK_PHONE_NUMBER_ID: first })).toEqual(['thanks'])
    expect(await names([], { SWITCHHOOK_PHONE_NUMBER_ID: first })).toEqual(['order_ready'])
    const { code, stderr } = await templates(['ls'])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/ambiguous_number.*255799000222/)])
  })

  it('exits with 2 if it is called wrongly, and names all that is missing at once', async () => {
    const bare = await switchhook(['templates', 'ls'], {}, folder())
    expect([bare.code, bare.stdout]).toEqual([2, ''])
    expect(bare.stderr).toMatch(/^switchhook: .*SWITCHHOOK_BASE_URL \(or --base-url\); SWITCHHOOK_ACCESS_TOKEN.*\n$/)
    const wrong = [
      [],
      ['nothing'],
      ['ls', '--bogus'],
      ['ls', 'x'],
      ['ls', '--sendable', 'perhaps'],
      ['ls', '--base-url', 'nothing'],
      ['ls', '--token', ''],
    ]
    const ends = await Promise.all(wrong.map((args) => templates(args)))
    for (const [index, { code, stdout }] of ends.entries())
      expect([code, stdout], wrong[index]?.join(' ')).toEqual([2, ''])
  })

  it('exits with 3 if no emulator answers on this machine, and says how to start one; elsewhere with 1', async () => {
    const port = await freePort()
    const { code, stdout, stderr } = await templates(['ls', '--base-url', `http://127.0.0.1:${port}`])
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toMatch(/^switchhook: .*ECONNREFUSED.*`switchhook emulator` starts it\n$/)
    // Another machine as far as its address tells; nobody is there either.
    const elsewhere = await templates(['ls', '--base-url', `https://0.0.0.0:${port}`])
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.not.stringContaining('emulator')])
  })

  it('exits with 1 and one line if the service refuses, and never shows the token, whatever repeats it [C AUTH-07]', async () => {
    const parrot = createServer((request, response) => {
      const { authorization } = request.headers
      response.writeHead(401, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ code: 'not_authenticated', message: `what is ${authorization}? ${TOKEN}` }))
    })
    await new Promise<void>((listening) => parrot.listen(0, '127.0.0.1', listening))
    const { port } = parrot.address() as AddressInfo
    const ends = [
      await templates(['ls', '--base-url', `http://127.0.0.1:${port}`]),
      await templates(['pull', '--base-url', `http://127.0.0.1:${port}`]),
      await templates(['ls', '--token', `${TOKEN}x`]),
      await templates(['ls', '--token', `Bearer ${TOKEN}`]),
      await templates(['ls'], { SWITCHHOOK_ACCESS_TOKEN: `${TOKEN} x` }),
    ]
    parrot.close()
    expect(ends.map(({ code }) => code)).toEqual([1, 1, 1, 2, 2])
    for (const { stdout, stderr } of ends) {
      expect(stdout).toBe('')
      expect(stderr).toMatch(/^switchhook: .*\n$/)
      expect(stderr).not.toContain(TOKEN)
    }
  })

  it('explains itself with an example', async () => {
    const help = await Promise.all([['--help'], ['ls', '--help'], ['pull', '--help']].map((args) => templates(args)))
    for (const { code, stdout, stderr } of help) {
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(/Example:\n {2}\$ switchhook templates /)
    }
    for (const flag of ['--base-url', '--token', '--phone-number-id', '--sendable', '--json', '--out', '--check'])
      expect(help.map(({ stdout }) => stdout).join()).toContain(flag)
  })
})
