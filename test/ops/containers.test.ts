import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'

const textOf = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

it('the Kubernetes example runs the image that init writes: its port, its probe, its volume and its user', () => {
  const image = textOf('templates/auto-reply/Dockerfile')
  const pod = textOf('ops/kubernetes.yaml')
  const [, port] = /^EXPOSE (\d+)$/m.exec(image) ?? []
  const [, volume] = /^VOLUME (\S+)$/m.exec(image) ?? []
  const [, probe] = /\/127\.0\.0\.1:[^/]+(\/\w+)`/.exec(image) ?? []
  expect(pod).toContain(`containerPort: ${port}`)
  expect(pod).toContain(`mountPath: ${volume}`)
  expect([...pod.matchAll(/httpGet: { path: (\S+),/g)].map(([, path]) => path)).toEqual([probe, probe, probe])
  // The official image of Node has the user `node` under this id.
  expect(image).toContain('USER node')
  expect(pod).toContain('runAsUser: 1000')
})

it.for([
  [
    'ops/switchhook@.service',
    ['SystemCallFilter=@system-service', 'LimitCORE=0', 'ProcSubset=pid', 'LimitNOFILE=65536'],
  ],
  [
    'ops/kubernetes.yaml',
    ['readOnlyRootFilesystem: true', 'seccompProfile: { type: RuntimeDefault }', 'mountPath: /tmp', 'bot@sha256:'],
  ],
] as const)('%s leaves an attacker little room', ([file, settings]) => {
  for (const setting of settings) expect(textOf(file)).toContain(setting)
})

describe('the systemd unit', () => {
  /** Runs the line that waits, as systemd does, for a process and a port. */
  function waits(pid: number, port: number) {
    const [, script = ''] =
      /^ExecStartPost=\/usr\/bin\/env node -e "(.*)"$/m.exec(textOf('ops/switchhook@.service')) ?? []
    const child = spawn(process.execPath, ['-e', script.replaceAll('%i', String(port))], {
      env: { ...process.env, MAINPID: String(pid) },
      stdio: 'ignore',
    })
    return new Promise<number | null>((resolve) => child.once('exit', resolve))
  }

  it('has started when /health answers 200, and not before', async () => {
    const answers = [503, 503, 200]
    let asked = 0
    const server = createServer((request, response) => {
      expect(request.url).toBe('/health')
      response.writeHead(answers[asked++] ?? 500).end()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    expect(await waits(process.pid, (server.address() as AddressInfo).port)).toBe(0)
    expect(asked).toBe(3)
    server.close()
  })

  it('has failed when the bot has ended', async () => {
    const ended = spawn(process.execPath, ['-e', ''])
    await once(ended, 'exit')
    expect(await waits(ended.pid ?? 0, await freePort())).toBe(1)
  })

  it('runs each instance at the port in its name, all as one user over one database', () => {
    const unit = textOf('ops/switchhook@.service')
    for (const line of ['DynamicUser=yes', 'User=switchhook', 'StateDirectory=switchhook'])
      expect(unit).toContain(`\n${line}\n`)
    expect(unit).toMatch(/^Environment=.*\bPORT=%i /m)
  })
})
