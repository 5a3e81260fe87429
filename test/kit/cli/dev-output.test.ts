import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openReceiver } from './emulator-support.ts'
import { jsonLines, NODE, run, type Running, shellLine, startSwitchhook, switchhook } from './support.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-output-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const dev = (args: readonly string[], environment: Record<string, string> = {}) =>
  startSwitchhook(['dev', '--port', '0', ...args], environment, folder)
const command = (...args: string[]) => switchhook(args, {}, folder)
const main = fileURLToPath(new URL('../../../src/kit/cli/main.ts', import.meta.url))
const ESCAPE = '\u001B['

/** Until the emulator has printed its last line. */
const started = (running: Running) => running.heard('stderr', /\/thread -H/)

describe('switchhook dev', () => {
  it('prints the addresses in at most eight lines, and a line for everything sent to the app and received from it', async () => {
    let status = 200
    await using receiver = await openReceiver(() => status, { careless: true })
    await using running = dev(['--webhook', receiver.url])
    const banner = (await started(running)).trimEnd().split('\n')
    expect(banner.length).toBeLessThanOrEqual(8)
    expect(banner[0]).toMatch(/^The emulator runs at http:\/\/127\.0\.0\.1:\d+; no send leaves this machine\.$/)
    expect(banner[1]).toMatch(/^Its page is http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+$/)
    expect((await command('trigger', 'message.received', '--text', 'hours')).code).toBe(0)
    expect((await command('send', '--to', '255712000101', '--text', 'hello')).code).toBe(0)
    expect((await command('send', '--to', '255712000102', '--text', 'hello')).code).toBe(1)
    await running.heard('stderr', /--> message\.status delivered/)
    await command('clock', '+25h')
    await running.heard('stderr', /\*\*\* the clock/)
    status = 500
    await command('trigger', 'message.received')
    const stderr = await running.heard('stderr', /!! 500/)
    const time = '\\d\\d:\\d\\d:\\d\\d'
    for (const line of [
      `${time} --> message\\.received {2}\\+255…101 {2}\\[[0-9A-Z]{26}\\]`,
      `${time} <-- 200 \\(\\d+ ms\\) {2}\\[[0-9A-Z]{26}\\]`,
      `${time} <-- POST /api/v2/messages {2}200`,
      `${time} --> message\\.status sent {2}\\+255…101 {2}\\[[0-9A-Z]{26}\\]`,
      `${time} --> message\\.status delivered {2}\\+255…101 {2}\\[[0-9A-Z]{26}\\]`,
      `${time} !! 409 outside_messaging_window {2}POST /api/v2/messages`,
      `${time} !! 500 \\(\\d+ ms\\) {2}message\\.received {2}\\[[0-9A-Z]{26}\\]`,
    ])
      expect(stderr).toMatch(new RegExp(`^${line}$`, 'm'))
    expect(stderr).not.toContain('255712000102')
    expect(stderr).not.toContain(ESCAPE)
  })

  const hasScript = spawnSync('script', ['--version']).status === 0
  /** Starts `dev` at a terminal, and waits for its prompt. */
  const atTerminal = async (environment: Record<string, string> = {}, ...flags: string[]) => {
    const dev = shellLine(...NODE, main, 'dev', '--port', '0', ...flags)
    const running = run('script', ['-qec', dev, '/dev/null'], { PORT: '0', ...environment }, folder)
    await running.heard('stdout', /255712000101 > /)
    const type = (keys: string) => running.child.stdin?.write(keys)
    return {
      running,
      type,
      async [Symbol.asyncDispose]() {
        // `script` itself ends slowly on a signal.
        type('\u0003')
        await running.ended
      },
    }
  }
  const WIRE = /--> |<-- /

  it.skipIf(!hasScript)(
    'prints at a terminal what to type, then shows only the conversation until Ctrl-T is pressed',
    async () => {
      await using receiver = await openReceiver(() => 200, { careless: true })
      const app = join(folder, 'app.mjs')
      const lines = "['started', 'send accepted', 'up']"
      writeFileSync(
        app,
        `for (const msg of ${lines}) console.log(JSON.stringify({ level: 30, msg })); setInterval(() => {}, 9e5)`,
      )
      const flags = ['--webhook', receiver.url, '--', process.execPath, app]
      await using terminal = await atTerminal({ NO_COLOR: '1' }, ...flags)
      const { running, type } = terminal
      const [first = ''] = running.stdout().split('255712000101 >', 1)
      const said = stripVTControlCharacters(first)
        .split('\r\n')
        .filter((line) => line !== '')
      expect(said).toEqual([
        '  Write as the customer and press Enter; the number of an option taps it.',
        '  /clock 25h moves the clock, /help lists the other commands, Ctrl-C ends.',
        expect.stringMatching(/^ {2}Or use the page: http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+$/),
      ])
      expect(await running.heard('stdout', /\| info {2}up/)).not.toMatch(/send accepted|started/)
      type('hours\n')
      await expect.poll(() => receiver.received.length).toBe(1)
      expect((await command('send', '--to', '255712000101', '--text', 'We are open')).code).toBe(0)
      await running.heard('stdout', /< We are open/)
      type('/clock 25h\n')
      expect(await running.heard('stdout', /the clock shows/)).not.toContain(`${ESCAPE}2m`)
      expect((await command('send', '--to', '255712000101', '--text', 'Too late')).code).toBe(1)
      const conversation = await running.heard('stdout', /x not sent: Too late\s+outside_messaging_window: /)
      expect(conversation).not.toMatch(WIRE)
      expect(conversation).not.toContain('!!')
      // Lines that the conversation does not show stand beside it.
      expect((await command('send', '--to', '255712000102', '--text', 'Too early')).code).toBe(1)
      await running.heard('stdout', /!! 409 outside_messaging_window {2}POST \/api\/v2\/messages/)
      type('\u0014')
      await running.heard('stdout', /The wire is shown; Ctrl-T hides it\./)
      type('hours\n')
      await running.heard('stdout', /--> message\.received[^]*<-- 200 /)
      type('\u0014')
      await running.heard('stdout', /The wire is hidden; Ctrl-T shows it\./)
    },
  )

  it('with --output json prints one object a line on stdout and nothing else, and the app’s lines on stderr', async () => {
    await using running = dev([
      '--output',
      'json',
      '--',
      process.execPath,
      '-e',
      'console.log("up"); setInterval(() => {}, 1000)',
    ])
    await running.heard('stderr', /\| up/)
    await command('clock', '+1h')
    const lines = jsonLines(await running.heard('stdout', /"kind":"clock".*\n/))
    expect(lines[0]).toMatchObject({
      kind: 'ready',
      url: expect.stringMatching(/^http:/),
      controlToken: expect.any(String),
    })
    expect(lines.map(({ kind }) => kind)).toContain('clock')
  })

  it('with --output quiet prints only the app’s lines and failures', async () => {
    const { code, stdout, stderr } = await dev(['--output', 'quiet', '--', process.execPath, '-e', 'console.log("up")'])
      .ended
    expect([code, stdout, stderr]).toEqual([0, '', '  | up\nThe app ended with 0.\n'])
  })
})

describe('switchhook dev and the live service', () => {
  const tells = [
    '--',
    process.execPath,
    '-e',
    'console.log(process.env.SWITCHHOOK_BASE_URL, process.env.SWITCHHOOK_DATABASE)',
  ]
  const live = { SWITCHHOOK_BASE_URL: 'https://service.example', SWITCHHOOK_DATABASE: './live.db' }

  it('exits with 4 in an environment of the live service', async () => {
    const { code, stdout, stderr } = await switchhook(['dev', ...tells], live, folder)
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toMatch(/^switchhook: SWITCHHOOK_BASE_URL names another machine, .*\n$/)
  })

  it('ignores its address and its database with --live', async () => {
    const { code, stderr } = await dev(['--live', ...tells], live).ended
    expect(code).toBe(0)
    expect(stderr).toMatch(/\| http:\/\/127\.0\.0\.1:\d+ \.switchhook\/dev\.db\n/)
  })

  it('exits with 4 for a command that names it, with or without --live', async () => {
    for (const flags of [[], ['--live']]) {
      const { code } = await command(
        'dev',
        ...flags,
        '--',
        'env',
        'SWITCHHOOK_BASE_URL=https://service.example',
        'true',
      )
      expect(code).toBe(4)
    }
  })
})
