import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { closed } from '../../support/listening.ts'
import { openReceiver } from './emulator-support.ts'
import { type Running, startSwitchhook } from './support.ts'

/** An app that prints its port and answers everything with 404. */
const LISTENS = `
  const server = require('node:http').createServer((_, response) => response.writeHead(Number(process.env.APP_STATUS ?? 404)).end())
  server.listen(Number(process.env.APP_PORT ?? 0), '127.0.0.1', () => console.log('at ' + server.address().port))`
const WILL_NOT_END = `${LISTENS}
  process.on('SIGTERM', () => console.log('not now'))`
const TALKS_ON = `${LISTENS}
  process.stdout.on('error', () => {})
  setInterval(() => console.log('and on'), 20)`

/** A separate folder, so that files written elsewhere restart no app. */
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-dev-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function dev(app: string, environment: Record<string, string> = {}, flags: readonly string[] = []): Running {
  const args = ['dev', '--port', '0', ...flags, '--', process.execPath, '-e', app]
  return startSwitchhook(args, { SWITCHHOOK_DATABASE: ':memory:', ...environment }, folder)
}

async function portOf(running: Running): Promise<number> {
  return Number(/\| at (\d+)/.exec(await running.heard('stderr', /\| at \d+\n/))?.[1])
}

async function customerWrites(running: Running): Promise<void> {
  const [, url = '', token = ''] = /-X POST (\S+) -H 'Authorization: (.+?)'/.exec(running.stderr()) ?? []
  const headers = { authorization: token, 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: '{"text":"hours"}' })
  expect(answer.ok).toBe(true)
}

async function armFault(running: Running, rule: object): Promise<void> {
  const [, url = '', token = ''] = /-X POST (\S+) -H 'Authorization: (.+?)'/.exec(running.stderr()) ?? []
  const headers = { authorization: token, 'content-type': 'application/json' }
  const body = JSON.stringify({ rules: [rule] })
  expect((await fetch(new URL('/_emulator/faults', url), { method: 'PUT', headers, body })).ok).toBe(true)
}

describe('switchhook dev', () => {
  it.for([
    ['SIGINT', 130],
    ['SIGTERM', 0],
    ['SIGHUP', 0],
  ] as const)('on %s ends its app, and exits with %i', async ([signal, expected]) => {
    await using running = dev(LISTENS)
    const port = await portOf(running)
    running.child.kill(signal)
    expect((await running.ended).code).toBe(expected)
    await closed(port)
  })

  it('ends with its app, whose code it passes on', async () => {
    const { code, stderr } = await dev('process.exit(3)').ended
    expect([code, stderr.split('\n').at(-2)]).toEqual([3, 'The app ended with 3.'])
  })

  it('exits with 1 if the app cannot be started', async () => {
    const environment = { SWITCHHOOK_DATABASE: ':memory:' }
    const { code, stderr } = await startSwitchhook(['dev', '--port', '0', '--', 'no-such-command'], environment, folder)
      .ended
    expect(code).toBe(1)
    expect(stderr).toContain('no-such-command cannot be started')
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('kills an app that does not end when it is interrupted again', async () => {
    await using running = dev(WILL_NOT_END)
    const port = await portOf(running)
    running.child.kill('SIGINT')
    await running.heard('stderr', /The app is still running\. Press Ctrl-C to kill it\./)
    const again = setInterval(() => running.child.kill('SIGINT'), 50)
    await running.heard('stderr', /Killing the app\./)
    clearInterval(again)
    const { code } = await running.ended
    expect(code).toBe(130)
    await closed(port)
  })

  it('ends with its app when nobody reads its lines any more', async () => {
    await using running = dev(TALKS_ON)
    const port = await portOf(running)
    running.child.stderr?.destroy()
    expect((await running.ended).code).toBe(0)
    await closed(port)
  })

  it('reports each undelivered delivery once, with the reason and its row on the page', async () => {
    const webhook = `http://127.0.0.1:${await freePort()}/webhooks/messages`
    await using running = dev(LISTENS, {}, ['--webhook', webhook])
    await portOf(running)
    await customerWrites(running)
    await running.heard('stderr', /x not delivered: .*\n/)
    await customerWrites(running)
    const stderr = await running.heard('stderr', /(x not delivered: [\s\S]*){2}\n/)
    const line = `  x not delivered: ECONNREFUSED ${webhook}; does the app listen there? --webhook names another`
    expect(stderr.split('\n').filter((each) => each.includes('not delivered'))).toEqual([line, line])
    expect(stderr).toContain(`${line}\n    It is delivered again once the app listens there.\n    http://127.0.0.1:`)
    expect(stderr.match(/\/#token=[\w-]+&delivery=[0-9A-Z]{26}\n/g)).toHaveLength(2)
  })

  it('names an armed fault as the cause, and not the secret', async () => {
    const port = await freePort()
    const webhook = `http://127.0.0.1:${port}/webhooks/messages`
    await using running = dev(LISTENS, { APP_PORT: String(port), APP_STATUS: '401' }, ['--webhook', webhook])
    await portOf(running)
    await armFault(running, { on: 'delivery', do: 'tamper', next: 1 })
    await customerWrites(running)
    await running.heard(
      'stderr',
      new RegExp(`x not delivered: 401 from ${webhook}, as it must: you armed \`tamper\`\n`),
    )
    await running.heard('stderr', /!! 401 \(\d+ ms\), you armed `tamper` {2}message\.received/)
  })

  it('reads its port and the app’s from the environment too, for a command inside an npm script', async () => {
    const [port, own] = [await freePort(), await freePort()]
    const environment = { PORT: String(port), SWITCHHOOK_EMULATOR_PORT: String(own), SWITCHHOOK_DATABASE: ':memory:' }
    const app = LISTENS.replace('APP_PORT', 'PORT')
    await using running = startSwitchhook(['dev', '--', process.execPath, '-e', app], environment, folder)
    expect(await portOf(running)).toBe(port)
    await running.heard('stderr', new RegExp(`The emulator runs at http://127\\.0\\.0\\.1:${own};`))
    await customerWrites(running)
    await running.heard('stderr', new RegExp(`x not delivered: 404 from http://127.0.0.1:${port}/webhooks/messages; `))
  })

  it('refuses to start if a program listens on the port of the app, and names the variables of both ports', async () => {
    await using taken = await openReceiver(() => 200, { careless: true })
    const environment = { PORT: new URL(taken.url).port, SWITCHHOOK_DATABASE: ':memory:' }
    const args = ['dev', '--port', '0', '--', process.execPath, '-e', LISTENS]
    const { code, stderr } = await startSwitchhook(args, environment, folder).ended
    expect(code).toBe(2)
    expect(stderr).toMatch(/^switchhook: a program listens at .* already\. .*PORT=3001 .*SWITCHHOOK_EMULATOR_PORT=4848/)
    expect(stderr).not.toContain('| at ')
    expect(taken.received).toEqual([])
  })

  it('escapes terminal controls in the app’s lines, and keeps its colours', async () => {
    const { stderr } = await dev("console.log('\\u001B[2Jgone \\u001B[31mred\\u001B[39m')").ended
    expect(stderr).toContain('  | \\u001b[2Jgone \u001B[31mred\u001B[39m\n')
  })

  it('begins with a new database because the emulator is new, but does not remove one that is in use', async () => {
    const kept = join(folder, '.switchhook')
    mkdirSync(kept)
    const old = ['dev.db', 'dev.db-wal', 'dev.2.db'].map((name) => join(kept, name))
    for (const file of old) writeFileSync(file, 'of yesterday')
    const tells = ['--', process.execPath, '-e', "console.log('in ' + process.env.SWITCHHOOK_DATABASE)"]
    const databaseOf = async () => {
      const { stderr } = await startSwitchhook(['dev', '--port', '0', ...tells], {}, folder).ended
      return /\| in (\S+)\n/.exec(stderr)?.[1]
    }
    // Of two apps on one database each would answer the other's customers, by its own emulator.
    writeFileSync(join(kept, 'dev.db.owner'), String(process.pid))
    expect(await databaseOf()).toBe('.switchhook/dev.2.db')
    expect(old.map(existsSync)).toEqual([true, true, false])
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    writeFileSync(join(kept, 'dev.db.owner'), String(pid))
    expect(await databaseOf()).toBe('.switchhook/dev.db')
    expect(old.map(existsSync)).toEqual([false, false, false])
    expect(existsSync(join(kept, 'dev.db.owner'))).toBe(false)
  })

  it('does not share its database with a dev that is started at the same moment', async () => {
    const tells = [
      '--',
      process.execPath,
      '-e',
      "console.log('in ' + process.env.SWITCHHOOK_DATABASE); setInterval(() => {}, 9e5)",
    ]
    const start = () => startSwitchhook(['dev', '--port', '0', ...tells], {}, folder)
    const all = [start(), start(), start()]
    try {
      const heard = await Promise.all(all.map((one) => one.heard('stderr', /\| in \S+\n/)))
      const names = new Set(heard.map((text) => /\| in (\S+)\n/.exec(text)?.[1]))
      expect(names).toEqual(new Set(['dev.db', 'dev.2.db', 'dev.3.db'].map((name) => `.switchhook/${name}`)))
    } finally {
      for (const { child } of all) child.kill('SIGTERM')
      await Promise.all(all.map(({ ended }) => ended))
    }
  })

  it('explains in one line that no database can be created, before anything else', async () => {
    writeFileSync(join(folder, '.switchhook'), 'a file where the folder should be')
    const app = ['--', process.execPath, '-e', '']
    const { code, stdout, stderr } = await startSwitchhook(['dev', '--port', '0', ...app], {}, folder).ended
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^switchhook: .*\.switchhook, cannot be created or written \(EEXIST\); SWITCHHOOK_DATABASE names another place \(see switchhook\/docs\/errors\.md#store_unavailable\)\n$/,
    )
  })
})
