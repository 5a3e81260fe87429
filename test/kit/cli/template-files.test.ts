import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createIo } from '../../../src/kit/cli/support/io.ts'
import { addTemplates, readTemplates } from '../../../src/kit/cli/support/template-files.ts'
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts'
import { temporaryFolder } from '../../support/folder.ts'

const [FIRST, SECOND] = ['109871234500011', '109871234500012']
const READY = { name: 'order_ready', language: 'sw', body: 'Oda {{1}} iko tayari' }

let folder = ''
beforeEach(() => void (folder = temporaryFolder()))

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
