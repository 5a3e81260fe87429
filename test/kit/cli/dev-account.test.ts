import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createIo } from '../../../src/kit/cli/support/io.ts'
import { addTemplates, readTemplates } from '../../../src/kit/cli/support/template-files.ts'
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts'
import { type Running, startSwitchhook, switchhook } from './support.ts'

const [FIRST, SECOND] = ['109871234500011', '109871234500012']
const READY = { name: 'order_ready', language: 'sw', body: 'Oda {{1}} iko tayari' }

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-account-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (name: string, content: unknown) => {
  const file = join(folder, name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

async function load(emulator: Emulator, path: string, numbers: readonly string[] = [FIRST]): Promise<void> {
  await addTemplates(emulator, await readTemplates(createIo(process), path), numbers)
}

/** The templates as the service lists them to the app, the oldest first. */
async function listed(emulator: Emulator, number = FIRST): Promise<Record<string, unknown>[]> {
  const headers = { authorization: `Bearer ${emulator.accessToken}`, 'x-phone-number-id': number }
  const answer = await fetch(`${emulator.url}/api/v2/templates`, { headers })
  return ((await answer.json()) as { items: Record<string, unknown>[] }).items.toReversed()
}

describe('--templates', () => {
  it('accepts one template, a list of them, or the templates of a recorded conversation', async () => {
    await using emulator = await createEmulator()
    await load(emulator, write('one.json', READY))
    await load(
      emulator,
      write('two.json', [
        { ...READY, language: 'en' },
        { ...READY, name: 'late' },
      ]),
    )
    await load(
      emulator,
      write('play.json', { switchhook: 1, name: 'x', templates: [{ ...READY, name: 'of_play' }], steps: [] }),
    )
    expect((await listed(emulator)).map(({ name, language }) => [name, language])).toEqual([
      ['order_ready', 'sw'],
      ['order_ready', 'en'],
      ['late', 'sw'],
      ['of_play', 'sw'],
    ])
  })

  it('accepts a page of the service’s own list, and the same is listed again', async () => {
    await using there = await createEmulator()
    await there.templates.add({ ...READY, qualityScore: 'GREEN' })
    await there.templates.add({ ...READY, name: 'paused', status: 'PAUSED' })
    await there.templates.add({ name: 'login_code', language: 'sw', category: 'AUTHENTICATION' })
    const items = await listed(there)
    await using here = await createEmulator()
    await load(here, write('page.json', { items, next_cursor: null, has_more: false }))
    const shown = (all: typeof items) =>
      all.map(({ id: _id, approved_at: _at, status_changed_at: _changed, ...rest }) => rest)
    expect(shown(await listed(here))).toEqual(shown(items))
  })

  it('accepts all JSON files of a folder, for each number unless a template names one', async () => {
    await using emulator = await createEmulator()
    await emulator.account.set({ numbers: [{ id: FIRST }, { id: SECOND }] })
    mkdirSync(join(folder, 'templates'))
    write('templates/a.json', READY)
    write('templates/b.json', { ...READY, name: 'wholesale', number: SECOND })
    write('templates/README.md', 'no template')
    await load(emulator, join(folder, 'templates'), [FIRST, SECOND])
    const names = async (number: string) => (await listed(emulator, number)).map(({ name }) => name)
    expect([await names(FIRST), await names(SECOND)]).toEqual([['order_ready'], ['order_ready', 'wholesale']])
  })

  it('leaves an existing template unchanged', async () => {
    await using emulator = await createEmulator()
    await emulator.templates.add({ ...READY, status: 'PAUSED' })
    await load(emulator, write('one.json', READY))
    expect((await listed(emulator)).map(({ status }) => status)).toEqual(['PAUSED'])
  })

  it.for([
    ['{', 'it is not JSON'],
    ['[1]', 'a template must be an object'],
    [JSON.stringify({ ...READY, body: undefined }), 'order_ready: .*needs either body or components'],
    [JSON.stringify({ ...READY, languge: 'sw' }), 'order_ready: .*languge'],
  ] as const)('names the file, the template and the mistake in %s', async ([content, expected]) => {
    await using emulator = await createEmulator()
    const file = write('bad.json', content)
    await expect(load(emulator, file)).rejects.toMatchObject({
      code: 'options_invalid',
      message: expect.stringMatching(new RegExp(`^--templates: ${file}: ${expected}`)),
    })
  })
})

describe('switchhook dev with its own account', () => {
  const TELLS = `const { SWITCHHOOK_PHONE_NUMBER_ID: id, SWITCHHOOK_ACCESS_TOKEN: token, SWITCHHOOK_DATABASE: db } = process.env
    console.log('for ' + [id, token, db].join(' ')); setInterval(() => {}, 9e5)`
  const dev = (...flags: string[]): Running =>
    startSwitchhook(['dev', '--port', '0', ...flags, '--', process.execPath, '-e', TELLS], {}, folder)
  const ask = async (method: string, path: string, body?: object) => {
    const note = JSON.parse(readFileSync(join(folder, '.switchhook/dev.json'), 'utf8')) as Record<string, string>
    const answer = await fetch(`${note['url']}/_emulator/${path}`, {
      method,
      headers: { authorization: `Bearer ${note['controlToken']}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await answer.json()) as { items: Record<string, unknown>[]; numbers: Record<string, unknown>[] }
  }
  const end = async (running: Running) => {
    running.child.kill('SIGTERM')
    await running.ended
  }

  it('has the numbers of --numbers, which share a token unless they have their own', async () => {
    await using shared = dev('--numbers', `4711,${SECOND}`, '--templates', write('one.json', READY))
    await shared.heard('stderr', /\| for 4711 emulator_\S+ /)
    await shared.heard('stderr', new RegExp(`The phone number ids are 4711, ${SECOND}\\.`))
    expect((await ask('GET', 'account')).numbers.map(({ id }) => id)).toEqual(['4711', SECOND])
    expect((await ask('GET', 'templates')).items).toHaveLength(2)
    await end(shared)
    await using own = dev('--numbers', `4711:retail,${SECOND}:wholesale`)
    await own.heard('stderr', /\| for 4711 retail /)
  })

  it('refuses invalid numbers, and repeated ones', async () => {
    for (const wrong of ['retail', '4711,4711', '', '4711:'])
      expect((await switchhook(['dev', '--numbers', wrong], {}, folder)).code, wrong).toBe(2)
  })
})
