import { readFileSync } from 'node:fs'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { webhook } from 'switchhook/express'
import { realTimers, type Timers } from '../../src/base/clock.ts'
import { assemble } from '../../src/app/bot.ts'
import { MATRIX, type Verdict, verifyReceiver } from '../../src/verify/index.ts'
import { freePort } from '../support/free-port.ts'
import { plainReceiver, RIGHT, SECRET } from './receiver.ts'

/** Real time, but that the body's deadline of 10 s passes at once. */
const impatient: Timers = { after: (ms, run) => realTimers.after(ms === 10_000 ? 200 : ms, run) }

/** A bot of this library in Express, which counts the messages that it has handled. */
async function ownReceiver() {
  let effects = 0
  const bot = assemble(
    { signingSecret: SECRET, database: ':memory:', logger: false },
    { environment: {}, timers: impatient },
  )
  bot.otherwise(() => void effects++)
  await bot.start()
  const app = express()
  app.use('/hook', webhook(bot))
  const server = app.listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await bot.stop({ drain: 0 })
  })
  const { port } = server.address() as { port: number }
  return { url: new URL(`http://127.0.0.1:${port}/hook`), count: async () => effects }
}

/** All that did not pass, in words. */
function trouble(verdicts: readonly Verdict[]) {
  return verdicts
    .filter(({ state }) => state !== 'passed')
    .map(({ state, check, sent, came }) => ({ id: check.id, state, sent, came }))
}

describe('the conformance matrix', () => {
  it('is passed whole by our own receiver [R SIG-01 SIG-02 SIG-03 SIG-04 SIG-05 SIG-07 SIG-08 SIG-09 DEL-01 DEL-04 DEL-05 DEL-06]', async () => {
    const { url, count } = await ownReceiver()
    const { verdicts } = await verifyReceiver({ url, secret: SECRET, count, settleMs: 100 })
    expect(trouble(verdicts)).toEqual([])
    expect(verdicts.map(({ check }) => check)).toEqual(MATRIX)
  })

  it('is passed whole by a plain Express app that follows the specification', async () => {
    const { url, count } = await plainReceiver()
    const { verdicts, clockOffMs } = await verifyReceiver({ url, secret: SECRET, count, settleMs: 15 })
    expect(trouble(verdicts)).toEqual([])
    expect(Math.abs(clockOffMs ?? Number.NaN)).toBeLessThan(3_000)
  })

  it('names each check once, with rules where it must hold, and a mend', () => {
    expect(new Set(MATRIX.map(({ id }) => id)).size).toBe(MATRIX.length)
    for (const { id, level, rules, says, mend } of MATRIX) {
      expect(level === 'must', id).toBe(rules.length > 0)
      for (const rule of rules) expect(rule).toMatch(/^[A-Z]{3,4}-\d\d$/)
      expect([says, mend], id).not.toContain('')
    }
  })

  it('judges no effects where nobody counts them, and says so', async () => {
    const { url } = await plainReceiver()
    const { verdicts } = await verifyReceiver({ url, secret: SECRET })
    const skipped = trouble(verdicts)
    expect(skipped.map(({ id }) => id)).toEqual(
      MATRIX.filter(({ effects }) => effects !== undefined).map(({ id }) => id),
    )
    expect(new Set(skipped.map(({ state, came }) => `${state}: ${came}`))).toEqual(
      new Set(['skipped: effects are seen by --observe alone']),
    )
  })

  it('fires what was asked for by id or rule alone, after a genuine delivery', async () => {
    const { url } = await plainReceiver()
    const { verdicts } = await verifyReceiver({ url, secret: SECRET, only: new Set(['time-ahead', 'SIG-03']) })
    expect(verdicts.map(({ check }) => check.id)).toEqual(['genuine', 'bytes-reserialised', 'time-ahead'])
  })

  it('fires nothing more where a genuine delivery is not acknowledged', async () => {
    const { url } = await plainReceiver()
    const { verdicts } = await verifyReceiver({ url, secret: 'another' })
    expect(verdicts[0]).toMatchObject({ state: 'failed', sent: 'a genuine delivery', expected: 'a 2xx' })
    expect(verdicts[0]?.came).toMatch(/^401 \{"error":"unauthorized"\} after \d+ ms$/)
    expect(new Set(verdicts.slice(1).map(({ state }) => state))).toEqual(new Set(['skipped']))
  })

  it('says that nothing listens there, and judges nothing', async () => {
    const url = new URL(`http://127.0.0.1:${await freePort()}/hook`)
    expect(await verifyReceiver({ url, secret: SECRET })).toMatchObject({ verdicts: [], unreachable: 'ECONNREFUSED' })
  })

  it('gives up where the receiver has gone on the way', async () => {
    const { url, server } = await plainReceiver({
      objection: (event) => {
        if (event === 'message.status') {
          server.closeAllConnections()
          server.close()
        }
        return undefined
      },
    })
    const { verdicts } = await verifyReceiver({ url, secret: SECRET })
    const last = verdicts.at(-1)
    expect([last?.state, last?.came]).toEqual(['skipped', 'the receiver gave no answer to the last 3 checks'])
    const unanswered = verdicts.filter(({ state }) => state === 'failed' || state === 'warned')
    expect(unanswered.map(({ check }) => check.id)).toEqual(['events-known', 'chunked', 'charset', 'no-content-type'])
  })

  it('takes an answer that does not come in time for none', async () => {
    const { parser } = RIGHT
    const { url } = await plainReceiver({
      parser: (request, response, next) => {
        if (request.get('X-Service-Event') !== 'parcel.lost') void parser(request, response, next)
      },
    })
    const { verdicts } = await verifyReceiver({ url, secret: SECRET, only: new Set(['event-unknown']), timeoutMs: 150 })
    expect(verdicts[1]).toMatchObject({ state: 'failed', sent: 'event parcel.lost' })
    expect(verdicts[1]?.came).toMatch(/^no answer after \d+ ms$/)
  })

  it('repeats neither secret nor right signature, whatever the receiver tells [AUTH-07]', async () => {
    const { url } = await plainReceiver({
      refusal: (response, _why, right) => void response.status(400).send(`expected ${right} by ${SECRET}`),
    })
    const { verdicts } = await verifyReceiver({ url, secret: SECRET, only: new Set(['AUTH-07']) })
    expect(verdicts[1]?.came).toMatch(/^400 expected \[signature\] by \[secret\] after/)
    expect(JSON.stringify(verdicts)).not.toContain(SECRET)
  })

  it('names the headers as the service does [GEN-09]', async () => {
    const heard: unknown[] = []
    const { url, server } = await plainReceiver()
    server.on('request', ({ headers }) => heard.push(headers['x-acme-event']))
    await verifyReceiver({ url, secret: SECRET, prefix: 'X-Acme-' })
    expect(heard).toEqual(['message.received'])
  })
})

it('docs/verify.md lists each check with its rules, and no other', () => {
  const page = readFileSync(new URL('../../docs/verify.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| `([a-z0-9-]+)` \| ([A-Z0-9 -]+|advice) \|/gm)].map(([, id, rules]) => [
    id,
    rules,
  ])
  expect(listed).toEqual(MATRIX.map(({ id, rules }) => [id, rules.length > 0 ? rules.join(' ') : 'advice']))
})
