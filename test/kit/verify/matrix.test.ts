import { readFileSync } from 'node:fs'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { webhook } from 'switchhook/express'
import type { Timers } from '../../../src/base/clock.ts'
import { assemble } from '../../../src/bot/bot.ts'
import { MATRIX } from '../../../src/kit/verify/matrix/matrix.ts'
import type { Verdict } from '../../../src/kit/verify/check.ts'
import { verifyReceiver } from '../../../src/kit/verify/run.ts'
import { deliveryHeaders } from '../../../src/service/contract.ts'
import { maker } from '../../../src/kit/verify/shot.ts'
import { listenOn } from '../../bot/inbox/adapters/http.ts'
import { VECTORS } from '../../bot/inbox/signing.ts'
import { freePort } from '../../support/free-port.ts'
import { PATIENT, plainReceiver, RIGHT, SECRET } from './receiver.ts'

/** A bot of this library in Express. */
async function ownReceiver() {
  const bot = assemble(
    { signingSecret: SECRET, database: ':memory:', logger: false, clock: () => new Date(NOW) },
    { environment: {} },
  )
  bot.otherwise(() => {})
  await bot.start()
  const app = express()
  app.use('/hook', webhook(bot))
  onTestFinished(() => bot.stop({ drain: 0 }))
  const { url } = await listenOn(app)
  return new URL(`${url}/hook`)
}

/** Time stands still for receiver and matrix, and no answer is too slow. */
const NOW = Date.now()
const now = () => NOW
const calm = { now, slowMs: 60_000, timers: PATIENT }

/** The verdicts of checks that did not pass. */
function trouble(verdicts: readonly Verdict[]) {
  return verdicts
    .filter(({ state }) => state !== 'passed')
    .map(({ state, check, sent, came }) => ({ id: check.id, state, sent, came }))
}

describe('the conformance matrix', () => {
  it('is passed completely by our own receiver [R SIG-01 SIG-02 SIG-03 SIG-04 SIG-05 SIG-07 SIG-08 SIG-09 DEL-01 DEL-04 DEL-05 DEL-06]', async () => {
    const { verdicts } = await verifyReceiver({ ...calm, url: await ownReceiver(), secret: SECRET })
    expect(trouble(verdicts)).toEqual([])
    expect(verdicts.map(({ check }) => check)).toEqual(MATRIX)
  })

  it('is passed completely by a plain Express app that follows the specification', async () => {
    const { url } = await plainReceiver({}, { now })
    const { verdicts } = await verifyReceiver({ ...calm, url, secret: SECRET })
    expect(trouble(verdicts)).toEqual([])
  })

  it('has each check once, with its fix and its rules', () => {
    expect(new Set(MATRIX.map(({ id }) => id)).size).toBe(MATRIX.length)
    expect(MATRIX.filter(({ rules }) => rules.length === 0)).toEqual([])
    for (const { id, rules, says, fix } of MATRIX) {
      for (const rule of rules) expect(rule).toMatch(/^[A-Z]{3,4}-\d\d$/)
      expect([says, fix], id).not.toContain('')
    }
  })

  it('fires only the checks chosen by id or rule, after a genuine delivery', async () => {
    const { url } = await plainReceiver()
    const { verdicts } = await verifyReceiver({ url, secret: SECRET, only: new Set(['time-ahead', 'SIG-03']) })
    expect(verdicts.map(({ check }) => check.id)).toEqual(['genuine', 'bytes-reserialised', 'time-ahead'])
  })

  it('fires nothing more if a genuine delivery is not acknowledged', async () => {
    const { url } = await plainReceiver()
    const { verdicts } = await verifyReceiver({ url, secret: 'another' })
    expect(verdicts[0]).toMatchObject({ state: 'failed', sent: 'a genuine delivery', expected: 'a 2xx' })
    expect(verdicts[0]?.came).toMatch(/^401 \{"error":"unauthorized"\} after \d+ ms$/)
    expect(new Set(verdicts.slice(1).map(({ state }) => state))).toEqual(new Set(['skipped']))
  })

  it('reports that nothing listens at the address, and judges nothing', async () => {
    const url = new URL(`http://127.0.0.1:${await freePort()}/hook`)
    expect(await verifyReceiver({ url, secret: SECRET })).toMatchObject({ verdicts: [], unreachable: 'ECONNREFUSED' })
  })

  it('gives up if the receiver goes away during the run', async () => {
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
    const unanswered = verdicts.filter(({ state }) => state === 'failed')
    expect(unanswered.map(({ check }) => check.id)).toEqual(['events-known', 'chunked', 'charset', 'bytes-white-space'])
  })

  it('accuses no receiver if a second begins while its requests are made [SIG-05]', async () => {
    const { url } = await plainReceiver({}, { now })
    const only = new Set(['signature-wrong', 'time-repeated'])
    for (let nth = 1; nth <= 15; nth++) {
      let readings = 0
      const ticking = () => NOW + (++readings > nth ? 1_000 : 0)
      const { verdicts } = await verifyReceiver({ ...calm, now: ticking, url, secret: SECRET, only })
      expect(trouble(verdicts), `the second begins before reading ${nth + 1}`).toEqual([])
    }
  })

  it('counts an answer that is too late as none', async () => {
    const { parser } = RIGHT
    let expire = () => {}
    const timers: Timers = {
      after(_ms, run) {
        expire = run
        return () => {}
      },
    }
    const { url } = await plainReceiver({
      parser: (request, response, next) => {
        if (request.get('X-Service-Event') === 'parcel.lost') expire()
        else void parser(request, response, next)
      },
    })
    const { verdicts } = await verifyReceiver({ url, secret: SECRET, only: new Set(['event-unknown']), timers })
    expect(verdicts[1]).toMatchObject({ state: 'failed', sent: 'event parcel.lost' })
    expect(verdicts[1]?.came).toMatch(/^no answer after \d+ ms$/)
  })

  it('repeats neither secret nor right signature, whatever the receiver answers [AUTH-07]', async () => {
    const { url } = await plainReceiver({
      refusal: (response, _why, right) => void response.status(400).send(`expected ${right} by ${SECRET}`),
    })
    const { verdicts } = await verifyReceiver({ url, secret: SECRET, only: new Set(['AUTH-07']) })
    expect(verdicts[1]?.came).toMatch(/^400 expected \[signature\] by \[secret\] after/)
    expect(JSON.stringify(verdicts)).not.toContain(SECRET)
  })

  it('uses the header names of the service [GEN-09]', async () => {
    const heard: unknown[] = []
    const { url, server } = await plainReceiver()
    server.on('request', ({ headers }) => heard.push(headers['x-acme-event']))
    await verifyReceiver({ url, secret: SECRET, prefix: 'X-Acme-' })
    expect(heard).toEqual(['message.received'])
  })
})

it('docs/verify.md lists each rule with its checks, and no other', () => {
  const page = readFileSync(new URL('../../../docs/verify.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| ([A-Z]+-\d+) \|.*\| (`.*`) \|$/gm)].map(
    ([, rule = '', ids = '']) => [rule, ids.replaceAll('`', '').split(', ').toSorted()] as const,
  )
  const rules = [...new Set(MATRIX.flatMap((check) => check.rules))]
  const proven = rules.map((rule) => [
    rule,
    MATRIX.flatMap(({ id, rules }) => (rules.includes(rule) ? [id] : [])).toSorted(),
  ])
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(proven))
  expect(listed).toHaveLength(rules.length)
})

it('signs shots like the vectors, without the receiver’s code [SIG-01]', () => {
  for (const { name, secret, timestamp, body, signature } of VECTORS) {
    const make = maker({ secret, names: deliveryHeaders(), now: NOW, margin: 0 })
    const { headers } = make({ body, timestamp })
    expect(Object.fromEntries(headers)['X-Service-Signature'], name).toBe(signature)
  }
})
