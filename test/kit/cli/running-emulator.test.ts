import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listenOn } from '../../bot/inbox/adapters/http.ts'
import { freePort } from '../../support/free-port.ts'
import { beside } from './emulator-support.ts'
import { type Running, startSwitchhook, switchhook } from './support.ts'

const { emulator, folder, run } = beside()

const NOTE = '.switchhook/dev.json'
const start = (args: readonly string[]) => startSwitchhook(args, {}, folder())
const inFolder = (args: readonly string[], environment: Record<string, string> = {}) =>
  switchhook(args, environment, folder())

async function ready(running: Running) {
  return JSON.parse(await running.line('stdout')) as { url: string; controlToken: string }
}

describe('commands find the running emulator', () => {
  it('by the note in its folder, which only its owner can read and which is never in the repository', async () => {
    await using running = start(['emulator', '--port', '0', '--json'])
    const { url, controlToken } = await ready(running)
    const file = join(folder(), NOTE)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      url,
      controlToken,
      pid: process.pid,
      webhook: 'http://127.0.0.1:3000/webhooks/messages',
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder(), '.switchhook/.gitignore'), 'utf8')).toBe('*\n')

    const byName = url.replace('127.0.0.1', 'localhost')
    const { code, stdout } = await inFolder(['clock', '+25h', '--json', '--emulator', byName])
    expect((await inFolder(['clock', '+0h'])).code).toBe(0)
    expect([code, JSON.parse(stdout)]).toEqual([0, { now: expect.any(String), offsetMs: 90_000_000 }])

    running.kill('SIGINT')
    await running.ended
    expect(existsSync(file)).toBe(false)
  })

  it('by a note that is not written through a link, which somebody’s repository may contain', async () => {
    mkdirSync(join(folder(), '.switchhook'))
    for (const name of [`dev.${process.pid}.json`, '.gitignore'])
      symlinkSync('../victim', join(folder(), '.switchhook', name))
    await using running = start(['emulator', '--port', '0', '--json'])
    await ready(running)
    expect(existsSync(join(folder(), 'victim'))).toBe(false)
  })

  it('by a flag over the environment, and by the environment over the note', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`
    const note = { url: nowhere, controlToken: 'x', pid: process.pid, webhook: nowhere }
    mkdirSync(join(folder(), '.switchhook'))
    writeFileSync(join(folder(), NOTE), JSON.stringify(note))
    expect((await inFolder(['clock'])).code).toBe(3)
    expect((await run(['clock'])).code).toBe(0)
    expect((await run(['clock', '--emulator', nowhere])).code).toBe(3)
    const { url } = emulator()
    expect((await inFolder(['clock', '--emulator', url], { SWITCHHOOK_EMULATOR: nowhere })).code).toBe(0)
  })

  it('and do not mistake another program for it', async () => {
    const { url } = await listenOn((_, response) => response.end('{"now":"2026-01-01T00:00:00Z","offsetMs":0}'))
    const { code, stdout, stderr } = await run(['clock', '--emulator', url])
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toContain('another program answers at')
  })

  it('send their token only to the emulator of the note', async () => {
    let shown: string | undefined = 'nobody asked'
    const { url } = await listenOn((request, response) => {
      shown = request.headers.authorization
      response.end()
    })
    mkdirSync(join(folder(), '.switchhook'))
    const note = { url: emulator().url, controlToken: 'x', pid: process.pid, webhook: 'x' }
    writeFileSync(join(folder(), NOTE), JSON.stringify(note))
    await inFolder(['clock', '+1h', '--emulator', url])
    expect(shown).toBeUndefined()
  })

  it('search only on this machine', async () => {
    for (const address of ['https://service.example', 'http://10.0.0.1:4747', 'nonsense'])
      expect((await run(['clock', '--emulator', address])).code, address).toBe(2)
  })

  it('ignore a note that points to another machine', async () => {
    let requests = 0
    const server = createServer((_, response) => response.end(String(++requests)))
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
    const { port } = server.address() as AddressInfo
    mkdirSync(join(folder(), '.switchhook'))
    const note = { url: `http://0.0.0.0:${port}`, controlToken: 'x', pid: process.pid, webhook: 'x' }
    writeFileSync(join(folder(), NOTE), JSON.stringify(note))
    await inFolder(['clock'])
    server.close()
    expect(requests).toBe(0)
  })
})
