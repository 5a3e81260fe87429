import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createIo } from '../../../src/kit/cli/support/io.ts'
import { addTemplates, readTemplates } from '../../../src/kit/cli/support/template-files.ts'
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts'
import { temporaryFolder } from '../../support/folder.ts'

const READY = { name: 'order_ready', language: 'sw', body: 'Oda {{1}} iko tayari' }

async function load(emulator: Emulator, content: unknown): Promise<void> {
  const file = join(temporaryFolder(), 'templates.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  await addTemplates(emulator, await readTemplates(createIo(process), file))
}

/** The templates as the service lists them to the app, the oldest first. */
async function listed(emulator: Emulator): Promise<Record<string, unknown>[]> {
  const headers = { authorization: `Bearer ${emulator.accessToken}` }
  const answer = await fetch(`${emulator.url}/api/v2/templates`, { headers })
  return ((await answer.json()) as { items: Record<string, unknown>[] }).items.toReversed()
}

describe('--templates', () => {
  it('accepts a page of the service’s own list, and the same is listed again', async () => {
    await using there = await createEmulator()
    await there.templates.add({ ...READY, qualityScore: 'GREEN' })
    await there.templates.add({ ...READY, name: 'paused', status: 'PAUSED' })
    await there.templates.add({ name: 'login_code', language: 'sw', category: 'AUTHENTICATION' })
    const items = await listed(there)
    await using here = await createEmulator()
    await load(here, { items, next_cursor: null, has_more: false })
    const shown = (all: typeof items) =>
      all.map(({ id: _id, approved_at: _at, status_changed_at: _changed, ...rest }) => rest)
    expect(shown(await listed(here))).toEqual(shown(items))
  })

  it('accepts a list, and leaves an existing template unchanged', async () => {
    await using emulator = await createEmulator()
    await emulator.templates.add({ ...READY, status: 'PAUSED' })
    await load(emulator, [READY, { ...READY, language: 'en' }])
    expect((await listed(emulator)).map(({ language, status }) => [language, status])).toEqual([
      ['sw', 'PAUSED'],
      ['en', 'APPROVED'],
    ])
  })

  it.for([
    ['{', 'expected a JSON file with a list'],
    ['[1]', 'a template must be an object'],
    [JSON.stringify([{ ...READY, body: undefined }]), 'order_ready: .*needs either body or components'],
    [JSON.stringify([{ ...READY, languge: 'sw' }]), 'order_ready: .*languge'],
  ] as const)('names the template and the mistake in %s', async ([content, expected]) => {
    await using emulator = await createEmulator()
    await expect(load(emulator, content)).rejects.toMatchObject({
      code: 'options_invalid',
      message: expect.stringMatching(new RegExp(`^--templates: ${expected}`)),
    })
  })
})
