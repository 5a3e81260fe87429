import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator/emulator.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { spawnSwitchhook, startSwitchhook, switchhook } from './support.ts'

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

describe('switchhook', () => {
  it('prints its version on stdout', async () => {
    expect(await spawnSwitchhook(['--version']).ended).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('exits with 2 for wrong usage, and explains it only on stderr', async () => {
    const wrong = [
      [],
      ['nothing'],
      ['emulator', '--port', '70000'],
      ['emulator', '--port', '0', '--webhook', 'nothing'],
      ['emulator', '--port', '0', '--token', 'a b'],
    ]
    const ends = await Promise.all(wrong.map((args) => switchhook(args)))
    for (const [index, { code, stdout, stderr }] of ends.entries()) {
      expect([code, stdout], wrong[index]?.join(' ')).toEqual([2, ''])
      expect(stderr, wrong[index]?.join(' ')).not.toBe('')
      expect(stderr).not.toMatch(/\n\s+at /)
    }
  })
})

describe('switchhook emulator', () => {
  it('prints one ready line of JSON on stdout, and runs until it is interrupted: exit 130', async () => {
    await using running = startSwitchhook(['emulator', '--port', '0', '--json', '--control-token', 'control-1'])
    const ready = JSON.parse(await running.line('stdout'))
    expect(Object.keys(ready)).toEqual(['ready', 'url', 'controlToken', 'accessToken', 'signingSecret'])
    expect(ready).toMatchObject({ ready: true, controlToken: 'control-1' })
    const templates = await fetch(`${ready.url}/api/v2/templates`, {
      headers: { Authorization: `Bearer ${ready.accessToken}` },
    })
    expect(await templates.json()).toEqual({ items: [], next_cursor: null, has_more: false })
    running.kill('SIGINT')
    const { code, stdout, stderr } = await running.ended
    expect([code, stdout.split('\n').length, stderr]).toEqual([130, 2, ''])
  })

  it('registers its webhook, by default the app’s own address', async () => {
    const urlOf = async (args: readonly string[]) => {
      await using running = startSwitchhook(['emulator', '--port', '0', '--json', ...args])
      const { items } = await read(JSON.parse(await running.line('stdout')), 'subscriptions')
      return items.map(({ url }) => url)
    }
    expect(await urlOf([])).toEqual(['http://127.0.0.1:3000/webhooks/messages'])
    expect(await urlOf(['--webhook', 'http://127.0.0.1:3999/hook'])).toEqual(['http://127.0.0.1:3999/hook'])
  })

  it('has the templates that --templates names, and refuses a file without any', async () => {
    const file = join(temporaryFolder(), 'templates.json')
    writeFileSync(file, JSON.stringify([{ name: 'order_ready', language: 'sw', body: 'Oda {{1}} iko tayari' }]))
    const start = () => startSwitchhook(['emulator', '--port', '0', '--json', '--templates', file])
    await using running = start()
    const { url, accessToken } = JSON.parse(await running.line('stdout'))
    const answer = await fetch(`${url}/api/v2/templates`, { headers: { Authorization: `Bearer ${accessToken}` } })
    expect(await answer.json()).toMatchObject({ items: [{ name: 'order_ready', language: 'sw' }] })
    writeFileSync(file, 'no JSON')
    expect((await start().ended).code).toBe(2)
  })

  it('reads token and secret from flags, else from the environment, whose first secret counts', async () => {
    const environment = { SWITCHHOOK_ACCESS_TOKEN: 'token-env', SWITCHHOOK_SIGNING_SECRET: 'secret-env, secret-old' }
    const readyOf = async (args: readonly string[], env: Record<string, string>) => {
      await using running = startSwitchhook(['emulator', '--port', '0', '--json', ...args], env)
      const { accessToken, signingSecret } = JSON.parse(await running.line('stdout'))
      return [accessToken, signingSecret]
    }
    expect(await readyOf([], environment)).toEqual(['token-env', 'secret-env'])
    expect(await readyOf(['--token', 'token-flag', '--secret', 'secret-flag'], environment)).toEqual([
      'token-flag',
      'secret-flag',
    ])
    const madeUp = await readyOf([], { SWITCHHOOK_ACCESS_TOKEN: '', SWITCHHOOK_SIGNING_SECRET: '' })
    expect(madeUp.map((value) => value.length >= 32)).toEqual([true, true])
  })

  it('prints messages on stderr, shows generated secrets and no given ones, and ends with 0 on SIGTERM', async () => {
    await using running = startSwitchhook(['emulator', '--port', '0'], { SWITCHHOOK_ACCESS_TOKEN: 'token-of-mine' })
    await running.line('stderr')
    running.kill('SIGTERM')
    const { code, stdout, stderr } = await running.ended
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+/)
    expect(stderr).toMatch(/SWITCHHOOK_SIGNING_SECRET=whsec_/)
    expect(stderr).toMatch(/SWITCHHOOK_PHONE_NUMBER_ID=\d+/)
    expect(stderr).not.toContain('token-of-mine')
  })

  it('exits with 2 and one clear line if its port is in use', async () => {
    await using taken = await createEmulator()
    const port = new URL(taken.url).port
    const { code, stdout, stderr } = await switchhook(['emulator', '--port', port])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(
      new RegExp(
        `^switchhook: .*:${port}: the port is in use.*another port.*SWITCHHOOK_EMULATOR_PORT=4848, or pass --port.*\\n$`,
      ),
    )
  })
})

/** Reads a list from the control API of an emulator that is ready. */
async function read({ url, controlToken }: { url: string; controlToken: string }, path: string) {
  const headers = { Authorization: `Bearer ${controlToken}` }
  const answer = await fetch(`${url}/_emulator/${path}`, { headers })
  return (await answer.json()) as { items: Record<string, string>[] }
}
