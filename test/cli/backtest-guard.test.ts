import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const PRELOAD = new URL('../../src/backtest/preload.ts', import.meta.url).href
const OUTSIDE = '203.0.113.7'

/** Runs code in a process that is guarded as the app of a backtest is, and gives its output. */
function guarded(code: string): string[] {
  const NODE_OPTIONS = `--import=${PRELOAD} --conditions=switchhook-source`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, NODE_OPTIONS, SWITCHHOOK_BACKTEST: '/nowhere' },
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(stderr).toBe('')
  return stdout.trim().split('\n')
}

const CALL = `fetch('http://${OUTSIDE}').then(() => console.log('called'), (error) => console.log(error.cause?.code))`

it('a call to another machine fails in a backtest, by whatever way of Node', () => {
  const code = `
    import { connect } from 'node:http2'
    import tls from 'node:tls'
    import { createSocket } from 'node:dgram'
    await ${CALL}
    const socket = tls.connect({ host: '${OUTSIDE}', port: 443 })
    await new Promise((done) => socket.on('error', ({ code }) => done(console.log(code))))
    const session = connect('http://${OUTSIDE}')
    await new Promise((done) => session.on('error', ({ code }) => done(console.log(code))))
    try { createSocket('udp4').unref().connect(53, '${OUTSIDE}') } catch ({ code }) { console.log(code) }
    process.exit(0)`
  expect(guarded(code)).toEqual(Array.from({ length: 4 }, () => 'EBACKTEST'))
})

it('each Node that the app starts is guarded too, also with an environment of its own, and so are its threads', () => {
  const code = `
    import { execFile, fork, spawnSync } from 'node:child_process'
    import { promisify } from 'node:util'
    import { Worker } from 'node:worker_threads'
    const call = ${JSON.stringify(CALL)}
    const told = async (env) => (await promisify(execFile)(process.execPath, ['-e', call], { env })).stdout.trim()
    console.log(await told(process.env))
    console.log(await told({}))
    console.log(await told({ NODE_OPTIONS: '--no-warnings' }))
    console.log(spawnSync(process.execPath, ['-e', call], { env: {}, encoding: 'utf8' }).stdout.trim())
    const worker = new Worker(call, { eval: true, env: {} })
    await new Promise((done) => worker.on('exit', done))
    process.exit(0)`
  expect(guarded(code)).toEqual(Array.from({ length: 5 }, () => 'EBACKTEST'))
})
