import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { join, resolve } from 'node:path'
import { ulid } from 'ulid'
import { expect, it, onTestFinished } from 'vitest'
import { headersOf, SECRET } from '../bot/inbox/signing.ts'
import { type Answered, ask, listenOn } from '../bot/inbox/adapters/http.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/folder.ts'

const root = resolve(import.meta.dirname, '../..')
const SCRIPT = join(root, 'ops/deploy.sh')

/** Two processes over one file as units, and a `systemctl` that restarts them as systemd does: it does not wait until they listen. */
async function unitsOn() {
  const folder = temporaryFolder()
  const ports = [await freePort(), await freePort()] as const
  const units = new Map<number, ChildProcess>()
  const restarts: number[] = []
  const environment: Record<string, string> = {}

  function start(port: number): void {
    const args = ['--conditions=switchhook-source', join(import.meta.dirname, 'deploying-bot.ts')]
    const env = {
      PATH: process.env['PATH'],
      SWITCHHOOK_DATABASE: join(folder, 'bot.db'),
      SWITCHHOOK_SIGNING_SECRET: SECRET,
    }
    units.set(
      port,
      spawn(process.execPath, args, { env: { ...env, PORT: String(port), ...environment }, stdio: 'inherit' }),
    )
  }
  async function end(port: number, signal: NodeJS.Signals): Promise<void> {
    const unit = units.get(port)
    if (!unit || unit.exitCode !== null || unit.signalCode !== null) return
    const ended = new Promise((done) => unit.once('exit', done))
    unit.kill(signal)
    await ended
  }
  onTestFinished(async () => {
    for (const port of ports) await end(port, 'SIGKILL')
  })

  const control = await listenOn(
    createServer((asked, response) => {
      const port = Number(/^\/restart\/switchhook@(\d+)$/.exec(asked.url ?? '')?.[1])
      restarts.push(port)
      void end(port, 'SIGTERM').then(() => {
        start(port)
        response.end()
      })
    }),
  )
  const systemctl = join(folder, 'systemctl')
  writeFileSync(systemctl, `#!/bin/sh\nexec curl --fail --silent "${control.url}/$1/$2"\n`)
  chmodSync(systemctl, 0o755)

  const deploy = (more: Record<string, string> = {}) =>
    new Promise<{ code: number; stderr: string }>((done) => {
      const env = { ...process.env, ...more, PATH: `${folder}:${process.env['PATH']}` }
      const args = [ports[1], ports[0]].map(String)
      execFile(SCRIPT, args, { env }, (error, _stdout, stderr) => done({ code: Number(error?.code ?? 0), stderr }))
    })
  for (const port of ports) start(port)
  const isHealthy = (port: number) =>
    ask(port, '/health', { method: 'GET' }).then(
      ({ status }) => status === 200,
      () => false,
    )
  for (const port of ports) await expect.poll(() => isHealthy(port)).toBe(true)
  return { ports, units, restarts, environment, deploy }
}

/** As nginx with `backup` and `proxy_next_upstream error timeout http_503 non_idempotent`. */
async function proxyOf([first, backup]: readonly [number, number]) {
  async function answerTo(asked: IncomingMessage): Promise<Pick<Answered, 'status' | 'body'>> {
    const chunks: Buffer[] = []
    for await (const chunk of asked) chunks.push(chunk as Buffer)
    const request = { headers: asked.headers, body: Buffer.concat(chunks) }
    const forward = (port: number) => ask(port, '/webhooks/messages', request).catch(() => undefined)
    const answer = await forward(first)
    if (answer && answer.status !== 503) return answer
    return (await forward(backup)) ?? { status: 502, body: '' }
  }
  return listenOn(
    createServer((asked, response) => {
      void answerTo(asked).then(({ status, body }) => response.writeHead(status).end(body))
    }),
  )
}

it('the deploy of docs/production.md restarts both processes, the backup first, and every delivery meanwhile is acknowledged [R DEL-02]', async () => {
  const { ports, units, restarts, deploy } = await unitsOn()
  const proxy = await proxyOf(ports)
  const before = ports.map((port) => units.get(port)?.pid)
  let goesOn = true
  const statuses: number[] = []
  const posting = (async () => {
    for (let n = 0; goesOn; n++) {
      const timestamp = Math.floor(Date.now() / 1_000)
      const body = Buffer.from(
        JSON.stringify({ from: '255712000101', id: `m${n}`, type: 'text', text: `${n}`, timestamp }),
      )
      statuses.push(
        (await ask(proxy.port, '/', { headers: headersOf(body, { timestamp, delivery: ulid() }), body })).status,
      )
    }
  })()
  await expect.poll(() => statuses.length).toBeGreaterThan(20)
  expect(await deploy()).toMatchObject({ code: 0, stderr: '' })
  goesOn = false
  await posting
  expect(restarts).toEqual([ports[1], ports[0]])
  for (const [at, port] of ports.entries()) expect(units.get(port)?.pid).not.toBe(before[at])
  expect(statuses.filter((status) => status !== 200)).toEqual([])
})

it('a process that does not become healthy ends the deploy, before another one is restarted', async () => {
  const { ports, restarts, environment, deploy } = await unitsOn()
  environment['BROKEN'] = '1'
  expect(await deploy({ HEALTH_CHECKS: '3' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no other process'),
  })
  expect(restarts).toEqual([ports[1]])
  expect((await ask(ports[0], '/health', { method: 'GET' })).status).toBe(200)
})

it('docs/production.md names the script, the ports and the two units', () => {
  const page = readFileSync(join(root, 'docs/production.md'), 'utf8')
  for (const part of [
    'deploy.sh 3001 3000',
    'switchhook@3000 switchhook@3001',
    'server 127.0.0.1:3001 max_fails=0 backup',
  ])
    expect(page).toContain(part)
})
