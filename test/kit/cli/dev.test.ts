import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { closed } from '../../support/listening.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { openReceiver } from './emulator-support.ts'
import { MAIN, type Running, run, spawnSwitchhook, startSwitchhook, switchhook } from './support.ts'

/** An app that prints its port and answers everything with 404. */
const LISTENS = `
  const server = require('node:http').createServer((_, response) => response.writeHead(Number(process.env.APP_STATUS ?? 404)).end())
  server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('at ' + server.address().port))`
const WILL_NOT_END = `${LISTENS}
  process.on('SIGTERM', () => console.log('not now'))`
const TALKS_ON = `${LISTENS}
  process.stdout.on('error', () => {})
  setInterval(() => console.log('and on'), 20)`
const STAYS = 'setInterval(() => {}, 9e5)'

let folder = ''
beforeEach(() => void (folder = temporaryFolder()))

const command = (...args: string[]) => switchhook(args, {}, folder)
const app = (script: string) => ['--', process.execPath, '-e', script]

function dev(args: readonly string[], environment: Record<string, string> = {}): Running {
  return startSwitchhook(['dev', '--port', '0', ...args], environment, folder)
}

/** False if the process has ended. */
const signalsTo = (pid: number) => (signal: NodeJS.Signals | 0) => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

const portOf = async (running: Running) => Number(/\| at (\d+)/.exec(await running.heard('stderr', /\| at \d+\n/))?.[1])

describe('switchhook dev', () => {
  it.for([
    ['SIGINT', 130],
    ['SIGTERM', 0],
    ['SIGHUP', 0],
  ] as const)('on %s ends its app, and exits with %i', async ([signal, expected]) => {
    await using running = dev(app(LISTENS))
    const port = await portOf(running)
    running.kill(signal)
    expect((await running.ended).code).toBe(expected)
    await closed(port)
  })

  it('ends with its app when npm has passed a signal to its own shell alone', async () => {
    writeFileSync(join(folder, 'app.cjs'), `console.log('below ' + process.ppid)\n${LISTENS}`)
    // The shell stays in front of the last command of several.
    const start = `true && "${process.execPath}" --conditions=switchhook-source "${MAIN}" dev --port 0 -- "${process.execPath}" app.cjs`
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start } }))
    await using running = run('npm', ['start'], { PORT: '0' }, folder)
    const port = await portOf(running)
    const isLeft = signalsTo(Number(/\| below (\d+)/.exec(running.stderr())?.[1]))
    running.kill('SIGTERM')
    try {
      await expect.poll(() => isLeft(0)).toBe(false)
      await closed(port)
    } finally {
      // It holds the streams of npm for as long as it runs.
      isLeft('SIGTERM')
    }
  })

  it('ends with its app, whose code it passes on, or with 1 if the app cannot be started', async () => {
    const { code, stderr } = await dev(app('process.exit(3)')).ended
    expect([code, stderr.split('\n').at(-2)]).toEqual([3, 'The app ended with 3.'])
    const missing = await dev(['--', 'no-such-command']).ended
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('no-such-command cannot be started')])
    expect(missing.stderr).not.toMatch(/\n\s+at /)
  })

  it('kills an app that does not end when it is interrupted again', async () => {
    await using running = dev(app(WILL_NOT_END))
    const port = await portOf(running)
    running.kill('SIGINT')
    await running.heard('stderr', /The app is still running\. Press Ctrl-C to kill it\./)
    running.kill('SIGINT')
    await running.heard('stderr', /Killing the app\./)
    expect((await running.ended).code).toBe(130)
    await closed(port)
  })

  it('ends with its app when nobody reads its lines any more', async () => {
    await using running = spawnSwitchhook(['dev', '--port', '0', ...app(TALKS_ON)], {}, folder)
    const port = await portOf(running)
    running.child.stderr?.destroy()
    expect((await running.ended).code).toBe(0)
    await closed(port)
  })

  it('reports an undelivered delivery once, with its row on the page', async () => {
    const webhook = `http://127.0.0.1:${await freePort()}/webhooks/messages`
    await using running = dev(['--webhook', webhook])
    await running.heard('stderr', /its page: /)
    expect((await command('trigger', 'message.received', '--text', 'hours')).code).toBe(1)
    const stderr = await running.heard('stderr', /x not delivered: [\s\S]*delivery=[0-9A-Z]{26}\n/)
    const line = `  x not delivered: connection_refused at ${webhook}; does the app listen there? --webhook names another`
    expect(stderr).toContain(`${line}\n    http://127.0.0.1:`)
  })

  it('names an armed fault as the cause, and not the secret', async () => {
    const receiver = await openReceiver(() => 401, { careless: true })
    await using running = dev(['--webhook', receiver.url])
    await running.heard('stderr', /its page: /)
    await command('faults', 'tamper')
    await command('trigger', 'message.received')
    await running.heard('stderr', new RegExp(`x not delivered: 401 from ${receiver.url}; you armed \`tamper\``))
  })

  it('reads its port and the app’s from the environment too, for a command inside an npm script', async () => {
    const [port, own] = [await freePort(), await freePort()]
    vi.stubEnv('SWITCHHOOK_EMULATOR_PORT', String(own))
    onTestFinished(() => void vi.unstubAllEnvs())
    await using running = startSwitchhook(['dev', ...app(LISTENS)], { PORT: String(port) }, folder)
    expect(await portOf(running)).toBe(port)
    await running.heard('stderr', new RegExp(`The emulator runs at http://127\\.0\\.0\\.1:${own};`))
    await command('trigger', 'message.received')
    await running.heard('stderr', new RegExp(`x not delivered: 404 from http://127.0.0.1:${port}/webhooks/messages; `))
  })

  it('escapes terminal controls in the app’s lines, and keeps its colours', async () => {
    const { stderr } = await dev(app("console.log('\\u001B[2Jgone \\u001B[31mred\\u001B[39m')")).ended
    expect(stderr).toContain('  | \\u001b[2Jgone \u001B[31mred\u001B[39m\n')
  })

  it('gives its app a new database because the emulator is new, and shares it with no other dev', async () => {
    const kept = join(folder, '.switchhook')
    mkdirSync(kept)
    writeFileSync(join(kept, 'dev.db'), 'of another dev')
    const [one, other] = [dev(app(`console.log('in ' + process.env.SWITCHHOOK_DATABASE); ${STAYS}`)), dev([])]
    const name = /\| in (\S+)\n/.exec(await one.heard('stderr', /\| in \S+\n/))?.[1] ?? ''
    expect(name).toMatch(/\.switchhook\/dev-\d+\.db$/)
    writeFileSync(name, 'of the app')
    for (const running of [one, other]) {
      running.kill('SIGTERM')
      await running.ended
    }
    expect([existsSync(name), existsSync(join(kept, 'dev.db'))]).toEqual([false, true])
  })
})

describe('switchhook dev and the live service', () => {
  const tells = app('console.log(process.env.SWITCHHOOK_BASE_URL, process.env.SWITCHHOOK_DATABASE)')
  const live = { SWITCHHOOK_BASE_URL: 'https://service.example', SWITCHHOOK_DATABASE: './live.db' }

  it('exits with 4 in an environment of the live service', async () => {
    const { code, stdout, stderr } = await dev(tells, live).ended
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toMatch(/^switchhook: SWITCHHOOK_BASE_URL names another machine, .*\n$/)
  })

  it('exits with 4 for a command that names it', async () => {
    const names = ['--', 'env', 'SWITCHHOOK_BASE_URL=https://service.example', 'true']
    expect((await dev(names).ended).code).toBe(4)
  })
})

it('an emulator beside a `dev` in one folder leaves that one’s note unchanged when it ends', async () => {
  await using first = dev(['--json'])
  await first.line('stdout')
  await using second = dev(['--json'])
  const { url } = JSON.parse(await second.line('stdout'))
  first.kill('SIGINT')
  await first.ended
  expect(JSON.parse(readFileSync(join(folder, '.switchhook/dev.json'), 'utf8')).url).toBe(url)
})
