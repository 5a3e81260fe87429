/**
 * What does durability cost? The mounted, durable, dispatching receiver beside Express with express.raw and an HMAC
 * that stores nothing, in one run, turn by turn. Printed is a ratio of server CPU per request: the other's ÷ ours;
 * 1.0 is equal, higher is better. Absolute figures mean nothing on a machine that others share.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fire, prepare } from './load.ts'

const ROUNDS = Number(process.argv[2] ?? 7)
const REQUESTS = Number(process.argv[3] ?? 8_000)
const CONNECTIONS = 64
const SECRET = 'bench-secret-of-some-length'

const folder = mkdtempSync(join(tmpdir(), 'switchhook-bench-'))
const contenders = {
  ours: await launch('ours'),
  plain: await launch('plain'),
}

try {
  for (const contender of Object.values(contenders)) await round(contender)
  const pairs: { ours: number; plain: number; wall: number }[] = []
  for (let index = 0; index < ROUNDS; index++) {
    const order = index % 2 === 0 ? (['ours', 'plain'] as const) : (['plain', 'ours'] as const)
    const figures = { ours: { cpu: 0, seconds: 0 }, plain: { cpu: 0, seconds: 0 } }
    for (const name of order) figures[name] = await round(contenders[name])
    pairs.push({ ours: figures.ours.cpu, plain: figures.plain.cpu, wall: figures.plain.seconds / figures.ours.seconds })
    console.log(
      `round ${index + 1}: CPU per request ours ${figures.ours.cpu.toFixed(0)} us, plain ${figures.plain.cpu.toFixed(0)} us`,
    )
  }
  const ratios = pairs.map((pair) => pair.plain / pair.ours).sort((a, b) => a - b)
  const lowest = (name: 'ours' | 'plain') => Math.min(...pairs.map((pair) => pair[name]))
  console.log(`\nspeed ratio by CPU, median of ${ROUNDS} pairs: ${median(ratios).toFixed(2)}`)
  console.log(`speed ratio by CPU, lowest run of each: ${(lowest('plain') / lowest('ours')).toFixed(2)}`)
  console.log(
    `speed ratio by wall clock, median: ${median(pairs.map((pair) => pair.wall).sort((a, b) => a - b)).toFixed(2)}`,
  )
  console.log(`Node ${process.version}, ${REQUESTS} requests of 1 KB a round, ${CONNECTIONS} connections`)
} finally {
  for (const { child } of Object.values(contenders)) child.kill()
  rmSync(folder, { recursive: true, force: true })
}

interface Contender {
  readonly child: ChildProcess
  readonly port: number
  sent: number
}

async function launch(name: string): Promise<Contender> {
  const child = fork(join(import.meta.dirname, 'server.ts'), [name, SECRET, join(folder, `${name}.db`)], {
    execArgv: ['--conditions=switchhook-source'],
  })
  const { port } = await answer<{ port: number }>(child)
  return { child, port, sent: 0 }
}

/** CPU microseconds of the server per request, until everything is handled too. */
async function round(contender: Contender): Promise<{ cpu: number; seconds: number }> {
  const requests = prepare(REQUESTS, SECRET)
  const before = await ask(contender.child)
  const load = await fire(contender.port, requests, CONNECTIONS)
  if (load.answers.get(200) !== REQUESTS) throw new Error(`answers: ${JSON.stringify([...load.answers])}`)
  contender.sent += REQUESTS
  let after = await ask(contender.child)
  while (after.handled < contender.sent) {
    await wait(20)
    after = await ask(contender.child)
  }
  const used = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system
  return { cpu: used / REQUESTS, seconds: load.seconds }
}

function ask(child: ChildProcess): Promise<{ handled: number; cpu: NodeJS.CpuUsage }> {
  const answered = answer<{ handled: number; cpu: NodeJS.CpuUsage }>(child)
  child.send('figures')
  return answered
}

function answer<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a contender ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message as T)
    })
  })
}

function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
