import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { temporaryFolder } from '../support/folder.ts'
import { control, CUSTOMER } from './support/api.ts'

const sentBy = async (emulator: Emulator) => (await emulator.customer(CUSTOMER).thread()).at(-1)?.media

async function fetched(url = '') {
  const answer = await fetch(url)
  return { type: answer.headers.get('content-type'), bytes: Buffer.from(await answer.arrayBuffer()) }
}

describe('media that a customer sends', () => {
  it('are a file of the user’s, whose kind is read from its name, and which is never run', async () => {
    const folder = temporaryFolder()
    await using emulator = await createEmulator()
    const customer = emulator.customer(CUSTOMER)
    for (const [name, kind, type] of [
      ['my shoes.JPG', 'image', 'image/jpeg'],
      ['film.mp4', 'video', 'video/mp4'],
      ['note.ogg', 'audio', 'audio/ogg'],
      ['page.html', 'document', 'application/octet-stream'],
    ] as const) {
      writeFileSync(join(folder, name), `bytes of ${name}`)
      await customer.sendsMedia({ file: join(folder, name) })
      const media = await sentBy(emulator)
      expect(media?.kind).toBe(kind)
      expect(await fetched(media?.url)).toEqual({ type, bytes: Buffer.from(`bytes of ${name}`) })
    }
    const { filename, url = '' } = (await sentBy(emulator)) ?? {}
    expect(filename).toBe('page.html')
    // A script at this address could use the control API.
    const { headers } = await fetch(url)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    await expect(customer.sendsMedia({ file: join(folder, 'none.jpg') })).rejects.toMatchObject({
      code: 'options_invalid',
      message: expect.stringContaining('none.jpg cannot be read'),
    })
  })

  it('are a file of up to 5 MiB from the control API, and a larger one is refused with the limit', async () => {
    await using emulator = await createEmulator()
    const keep = (bytes: Buffer) =>
      control(emulator, 'POST', 'media', { name: 'my shoes.jpg', base64: bytes.toString('base64') })
    const largest = Buffer.alloc(5_242_880, 7)
    const { json } = await keep(largest)
    expect(json).toMatchObject({ kind: 'image', mime: 'image/jpeg' })
    expect((await fetched(json.url)).bytes.equals(largest)).toBe(true)
    expect(await keep(Buffer.alloc(5_242_881))).toMatchObject({
      status: 413,
      json: { code: 'too_large', message: 'A file may have 5242880 bytes; this one has 5242881.' },
    })
  })

  it('at an unknown address are 404, and accept no change', async () => {
    await using emulator = await createEmulator()
    expect((await fetch(`${emulator.url}/media/x/picture.png`)).status).toBe(404)
    expect((await fetch(`${emulator.url}/media/x/picture.png`, { method: 'POST' })).status).toBe(405)
  })
})
