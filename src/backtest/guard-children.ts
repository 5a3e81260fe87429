import childProcess, { ChildProcess } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import workerThreads, { type WorkerOptions } from 'node:worker_threads'

type Env = NodeJS.Dict<string>

/**
 * Has each Node that this process starts load `preload` first, and each of its threads: also one that gets an environment
 * of its own, in which nothing of ours stands. `own`: variables that each of them has besides.
 */
export function guardChildren(preload: string, own: Readonly<Env>): void {
  const load = `--import=${preload}`
  const guarded = (env: Env): Env => {
    const { NODE_OPTIONS: options = '' } = env
    return { ...env, ...own, NODE_OPTIONS: options.includes(load) ? options : `${options} ${load}`.trim() }
  }
  guardProcesses(guarded)
  guardSynchronous(guarded)
  guardThreads(guarded)
  // Named imports of these modules see the new functions too.
  syncBuiltinESMExports()
}

/** Guards the method through which all ways go to start a process that is not waited for. */
function guardProcesses(guarded: (env: Env) => Env): void {
  const prototype = ChildProcess.prototype as unknown as { spawn(o: { envPairs?: readonly string[] }): unknown }
  const { spawn } = prototype
  prototype.spawn = function (this: unknown, o) {
    if (!o.envPairs) return Reflect.apply(spawn, this, [o])
    const env = guarded(Object.fromEntries(o.envPairs.map(splitPair)))
    const envPairs = Object.entries(env).map(([name, value]) => `${name}=${value}`)
    return Reflect.apply(spawn, this, [{ ...o, envPairs }])
  }
}

function splitPair(pair: string): [string, string] {
  // Windows has variables whose names begin with the sign.
  const at = pair.indexOf('=', 1)
  return [pair.slice(0, at), pair.slice(at + 1)]
}

const SYNCHRONOUS = ['spawnSync', 'execFileSync', 'execSync'] as const

function guardSynchronous(guarded: (env: Env) => Env): void {
  for (const name of SYNCHRONOUS) {
    const run = childProcess[name] as (...given: unknown[]) => unknown
    const guardedRun = (...given: unknown[]) => run(...given.map((one) => (hasEnv(one) ? withEnv(one, guarded) : one)))
    Object.assign(childProcess, { [name]: guardedRun })
  }
}

function guardThreads(guarded: (env: Env) => Env): void {
  const { Worker, SHARE_ENV } = workerThreads
  workerThreads.Worker = class extends Worker {
    constructor(file: string | URL, o: WorkerOptions = {}) {
      super(file, o.env === SHARE_ENV ? o : { ...o, env: guarded((o.env as Env | undefined) ?? process.env) })
    }
  }
}

function hasEnv(given: unknown): given is { env: Env } {
  return typeof given === 'object' && given !== null && typeof (given as { env?: unknown }).env === 'object'
}

function withEnv(o: { env: Env }, guarded: (env: Env) => Env): { env: Env } {
  return { ...o, env: guarded(o.env) }
}
