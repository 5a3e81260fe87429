import { describe, expect, it } from 'vitest'
import { spawnSwitchhook, switchhook } from './support.ts'

const node = (script: string) => ['--', process.execPath, '-e', script]

describe('switchhook exec', () => {
  it('runs the command beside its own emulator, with its environment set and stdin and stdout untouched', async () => {
    const script = 'process.stdin.on("end", () => console.log(JSON.stringify(process.env))).pipe(process.stdout)'
    const running = spawnSwitchhook(['exec', ...node(script)], {
      SWITCHHOOK_BASE_URL: 'https://service.example',
      SWITCHHOOK_DATABASE: './live.db',
      SWITCHHOOK_HEADER_PREFIX: 'X-Live-',
      SWITCHHOOK_ALLOWED_RECIPIENTS: '255700000001',
    })
    running.child.stdin?.end('hello\n')
    const { code, stdout, stderr } = await running.ended
    const [typed, environment = ''] = stdout.split('\n')
    expect(typed).toBe('hello')
    expect([code, stderr]).toEqual([0, ''])
    const set = Object.entries(JSON.parse(environment) as Record<string, string>).filter(([name]) =>
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
    expect((await switchhook(['exec', ...node('process.exit(7)')])).code).toBe(7)
    expect((await switchhook(['exec', ...node("process.kill(process.pid, 'SIGKILL')")])).code).toBe(137)
  })

  it('passes a signal on, and waits for the end', async () => {
    const script = `process.on('SIGTERM', () => { console.log('told'); process.exit(9) }); setInterval(() => {}, 1000); console.log('ready')`
    await using running = spawnSwitchhook(['exec', ...node(script)])
    await running.line('stdout')
    running.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 9, stdout: 'ready\ntold\n' })
  })

  it('exits with 1 for a command that cannot be started, and with 2 without a command', async () => {
    const missing = await switchhook(['exec', '--', 'no-such-command'])
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringMatching(/^switchhook: no-such-command cannot be started: .*\n$/),
    ])
    expect((await switchhook(['exec'])).code).toBe(2)
  })

  it('exits with 4 for a command that would send to the live service, and does not run it', async () => {
    const exec = (address: string) => switchhook(['exec', '--', 'env', `SWITCHHOOK_BASE_URL=${address}`, 'false'])
    expect(await exec('https://service.example')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('would reach real phones'),
    })
    expect((await exec('http://127.0.0.1:1')).code).toBe(1)
  })
})
