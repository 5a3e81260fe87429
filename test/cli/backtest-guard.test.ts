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

it('a call to this machine by name fails in a backtest if the name leads to another one', () => {
  const code = `
    import { connect } from 'node:net'
    import { get } from 'node:http'
    import { createSocket } from 'node:dgram'
    const lookup = (host, o, done) => (o.all ? done(null, [{ address: '${OUTSIDE}', family: 4 }]) : done(null, '${OUTSIDE}', 4))
    const told = (one) => new Promise((done) => one.on('error', ({ code, host }) => done(console.log(code, host))))
    await told(connect({ host: 'localhost', port: 9, lookup }))
    await told(connect({ port: 9, lookup, autoSelectFamily: false }))
    await told(get({ host: 'localhost', port: 9, lookup }))
    const udp = createSocket({ type: 'udp4', lookup: (host, o, done) => host === 'localhost' ? lookup(host, o, done) : done(null, host, 4) })
    udp.send('a question', 53, 'localhost', ({ code, host }) => { console.log(code, host); process.exit(0) })`
  expect(guarded(code)).toEqual(Array.from({ length: 4 }, () => `EBACKTEST ${OUTSIDE}`))
})

it('nobody is told in a backtest that a refused call is connected', () => {
  const code = `
    import { connect } from 'node:http2'
    import { connect as connectTcp } from 'node:net'
    for (const call of [() => connect('http://${OUTSIDE}'), () => connect('https://${OUTSIDE}'), () => connectTcp(9, '${OUTSIDE}')]) {
      const one = call()
      for (const event of ['connect', 'ready', 'error']) one.on(event, () => console.log(event))
      await new Promise((done) => one.on('close', done))
    }
    process.exit(0)`
  expect(guarded(code)).toEqual(['error', 'error', 'error'])
})

it('no other machine is asked for a name in a backtest, and names of this machine lead to it', () => {
  const code = `
    import dns, { lookup, promises } from 'node:dns'
    import { resolveMx } from 'node:dns/promises'
    import { promisify } from 'node:util'
    const resolver = new dns.Resolver()
    resolver.setServers(['${OUTSIDE}'])
    const told = (asked) => asked.then(({ address }) => console.log(address), ({ code }) => console.log(code))
    await told(resolveMx('shop.example'))
    await told(promises.lookup('shop.example'))
    await told(promisify(lookup)('shop.example'))
    await told(promisify(dns.reverse)('${OUTSIDE}'))
    await told(promisify(resolver.resolveTxt.bind(resolver))('shop.example'))
    await told(promisify(lookup)('localhost', { family: 4 }))
    await told(promises.lookup('${OUTSIDE}'))
    process.exit(0)`
  expect(guarded(code)).toEqual([...Array.from({ length: 5 }, () => 'EBACKTEST'), '127.0.0.1', OUTSIDE])
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
