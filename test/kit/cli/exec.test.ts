import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator/emulator.ts'
import { startSwitchhook, switchhook } from './support.ts'

const node = (script: string) => ['--', process.execPath, '-e', script]
const TELLS = 'console.log(JSON.stringify(process.env))'

describe('switchhook exec', () => {
  it('runs the command beside its own emulator, with its environment set and stdout untouched', async () => {
    const { code, stdout, stderr } = await startSwitchhook(['exec', ...node(TELLS)], {
      SWITCHHOOK_BASE_URL: 'https://service.example',
      SWITCHHOOK_DATABASE: './live.db',
      SWITCHHOOK_HEADER_PREFIX: 'X-Live-',
      SWITCHHOOK_ALLOWED_RECIPIENTS: '255700000001',
    }).ended
    expect([code, stderr]).toEqual([0, ''])
    const set = Object.entries(JSON.parse(stdout) as Record<string, string>).filter(([name]) =>
      name.startsWith('SWITCHHOOK_'),
    )
    expect(Object.fromEntries(set)).toEqual({
      SWITCHHOOK_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      SWITCHHOOK_ACCESS_TOKEN: expect.any(String),
      SWITCHHOOK_SIGNING_SECRET: expect.any(String),
      SWITCHHOOK_PHONE_NUMBER_ID: expect.stringMatching(/^\d+$/),
      SWITCHHOOK_HEADER_PREFIX: 'X-Service-',
      SWITCHHOOK_KEYS_REMEMBERED_FOR: '24h',
      SWITCHHOOK_ALLOWED_RECIPIENTS: '',
      SWITCHHOOK_DATABASE: expect.stringMatching(/switchhook\.db$/),
      SWITCHHOOK_EMULATOR: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      SWITCHHOOK_CONTROL_TOKEN: expect.any(String),
    })
  })

  it('exits with the code of the command, or with 128 and the number of the signal that ended it', async () => {
    expect((await startSwitchhook(['exec', ...node('process.exit(7)')]).ended).code).toBe(7)
    expect((await startSwitchhook(['exec', ...node("process.kill(process.pid, 'SIGKILL')")]).ended).code).toBe(137)
  })

  it('passes its stdin on', async () => {
    const running = startSwitchhook(['exec', ...node('process.stdin.pipe(process.stdout)')])
    running.child.stdin?.end('hello')
    expect(await running.ended).toEqual({ code: 0, stdout: 'hello', stderr: '' })
  })

  it.for(['SIGTERM'] as const)('passes %s on, and waits for the end', async (signal) => {
    const script = `process.on('${signal}', () => { console.log('told'); process.exit(9) }); setInterval(() => {}, 1000); console.log('ready')`
    await using running = startSwitchhook(['exec', ...node(script)])
    await running.line('stdout')
    running.child.kill(signal)
    expect(await running.ended).toMatchObject({ code: 9, stdout: 'ready\ntold\n' })
  })

  it('exits with 1 for a command that cannot be started, and with 2 without a command or for a port in use', async () => {
    const missing = await switchhook(['exec', '--', 'no-such-command'])
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringMatching(/^switchhook: no-such-command cannot be started: .*\n$/),
    ])
    expect((await switchhook(['exec'])).code).toBe(2)
    await using emulator = await createEmulator()
    const port = new URL(emulator.url).port
    expect((await switchhook(['exec', '--port', port, ...node('')])).code).toBe(2)
  })

  it('exits with 4 for a command that would send to the live service, and does not run it', async () => {
    const { code, stdout, stderr } = await switchhook([
      'exec',
      '--',
      'env',
      'SWITCHHOOK_BASE_URL=https://service.example',
      'echo',
      'ran',
    ])
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain('would reach real phones')
    const local = ['exec', '--', 'env', 'SWITCHHOOK_BASE_URL=http://127.0.0.1:1', 'echo', 'ran']
    expect((await startSwitchhook(local).ended).stdout).toBe('ran\n')
  })
})
