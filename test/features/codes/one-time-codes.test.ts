import { describe, expect, it } from 'vitest'
import { oneTimeCode } from '../../../src/service/one-time-code.ts'
import { template } from '../../../src/service/template.ts'
import { silent } from '../../../src/base/log.ts'
import type { BuiltInPart } from '../../../src/bot/feature.ts'
import type { Outbox } from '../../../src/bot/outbox/record-send.ts'
import type { SendResult } from '../../../src/bot/outbox/send.ts'
import { createObservers } from '../../../src/bot/report/observers.ts'
import { botPart } from '../../../src/features/codes/send-code.ts'
import { ASHA, type Bench, caught, eachWithBench, type Process } from '../../bot/outbox/bench.ts'
import { asksForTemplates, listed } from '../../bot/outbox/service.ts'

const MINUTE = 60_000
const CODE = '004711'
const REFUSED = ['validation_error', 'validation_error', 'validation_error']

/** How the list shows a template for codes that are of use for so long. */
const login = (minutes?: number) =>
  listed({
    name: 'login_code',
    language: 'sw',
    category: 'AUTHENTICATION',
    components: [{ type: 'footer', ...(minutes !== undefined && { code_expiration_minutes: minutes }) }],
  })

describe('a one-time code', () => {
  let bench: Bench
  eachWithBench((one) => {
    bench = one
    bench.service.templates = [login()]
  })

  it.each([
    ['ten minutes if the template says nothing', undefined, 10],
    ['two minutes if the template says two', 2, 2],
    ['fifteen minutes if it says ninety', 90, 15],
  ])('is attempted for %s, and no longer [B OTP-09]', async (_, minutes, expected) => {
    const { service, pass } = bench
    service.templates = [login(minutes)]
    service.always = { status: 429, code: 'rate_limited' }
    const begun = bench.now()
    const sent = caught(send(bench.boot()))
    let last = begun
    const answering = service.fetch
    service.fetch = (...call) => {
      if (!asksForTemplates(call[0])) last = bench.now()
      return answering(...call)
    }
    await pass(20 * MINUTE)
    expect(await sent).toMatchObject({ code: 'rate_limited' })
    expect(last - begun).toBeLessThan(expected * MINUTE)
    expect(last - begun).toBeGreaterThan((expected - 1.5) * MINUTE)
    expect(await bench.store.counts()).toMatchObject({ sends: { refused: 1 } })
  })

  it('is not attempted once it has expired, even if the machine slept during a pause [B OTP-09]', async () => {
    const { service, pass } = bench
    service.script = [{ status: 429, code: 'rate_limited' }]
    const sent = caught(send(bench.boot()))
    await pass(0)
    bench.jump(10 * MINUTE)
    await pass(MINUTE)
    expect(await sent).toMatchObject({ code: 'rate_limited' })
    expect(service.asked).toHaveLength(1)
    expect(service.phone).toEqual([])
  })

  it('waits for no answer beyond its expiry [B OTP-09]', async () => {
    const { service, pass } = bench
    service.templates = [login(1)]
    service.script = Array.from({ length: 6 }, () => ({ status: 429, code: 'rate_limited' }))
    service.script.push('mute')
    const begun = bench.now()
    let ended = 0
    const sent = caught(send(bench.boot())).then((error) => {
      ended = bench.now()
      return error
    })
    await pass(2 * MINUTE)
    expect(await sent).toMatchObject({ code: 'outcome_unknown' })
    expect(service.phone).toHaveLength(1)
    expect(ended - begun).toBeLessThanOrEqual(MINUTE)
  })

  it('is repeated under its key with the same bytes if its answer was lost: one on the phone [B OTP-08, B IDEM-07]', async () => {
    const { service, pass } = bench
    service.script = ['lost', 'lost']
    const sent = send(bench.boot())
    await pass(MINUTE)
    expect(await sent).toMatchObject({ via: 'template', replayed: true, send: { possiblyTwice: false } })
    expect(service.phone).toHaveLength(1)
    expect([new Set(service.asked).size, new Set(service.bodies).size]).toEqual([1, 1])
  })

  it('is lost with its process, and a new code is sent under another key [B OTP-06, F-84]', async () => {
    const { service, pass } = bench
    service.script = ['mute']
    const first = bench.boot()
    void send(first)
    await pass(0)
    first.kill()
    const next = bench.boot()
    await pass(12_000)
    expect(await bench.store.counts()).toMatchObject({ sends: { lost_code: 1 } })
    const again = send(next, '815162')
    await pass(0)
    expect(await again).toMatchObject({ via: 'template', send: { state: 'accepted' } })
    expect(new Set(service.asked).size).toBe(2)
    expect(service.asked).toHaveLength(2)
  })

  it('is refused if another one was sent under its key, and gets the first result if it is the same [B OTP-06]', async () => {
    const { service, pass } = bench
    const process = bench.boot()
    const first = send(process)
    await pass(0)
    expect(await first).toMatchObject({ send: { state: 'accepted' } })
    const [same, other] = [send(process), caught(send(process, '815162'))]
    await pass(0)
    expect(await same).toEqual(await first)
    expect(await other).toMatchObject({ code: 'diverged' })
    expect(service.phone).toHaveLength(1)
  })

  it('has at most two successors under the same key, each after a refused one [B OTP-06]', async () => {
    const { service, pass } = bench
    service.always = { status: 422, code: 'validation_error' }
    const process = bench.boot()
    const codes: unknown[] = []
    for (const digits of ['111111', '222222', '333333', '444444']) {
      const refused = caught(send(process, digits))
      await pass(0)
      codes.push(await refused)
    }
    expect(codes.map((error) => (error as { code: string }).code)).toEqual([...REFUSED, 'diverged'])
    expect(new Set(service.asked).size).toBe(3)
  })

  it('is retried with the others of its limited number, and a few probe for all [B SEND-22, B OTP-09, F-70]', async () => {
    const { service, pass } = bench
    service.always = { status: 429, code: 'rate_limited', retryAfter: 30 }
    let seed = 1
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
    const process = bench.boot({ random })
    const codes = Array.from({ length: 40 }, (_, nth) => send(process, `0047${nth}`, String(255_712_000_000 + nth)))
    await pass(4 * MINUTE)
    // Each once, and then about one for each half minute.
    expect(service.asked.length).toBeLessThan(40 + 40)
    service.always = undefined
    await pass(2 * MINUTE)
    for (const code of await Promise.all(codes)) expect(code).toMatchObject({ send: { state: 'accepted' } })
    expect(new Set(service.phone.map(({ to }) => to)).size).toBe(40)
  })

  it('is refused if the number is stopped, because no code waits for a person [B OTP-06]', async () => {
    const { service, pass } = bench
    service.always = { status: 401, code: 'not_authenticated' }
    const sent = caught(send(bench.boot()))
    await pass(0)
    expect(await sent).toMatchObject({ code: 'not_authenticated' })
    expect(await bench.store.counts()).toMatchObject({ sends: { refused: 1 } })
  })

  it('is under way in no lane, and a stop waits for it as for those in lanes [B OTP-06]', async () => {
    const { service, pass } = bench
    service.script = [{ status: 429, code: 'rate_limited' }]
    const process = bench.boot()
    const sent = send(process)
    await pass(0)
    expect(process.outbox.running()).toBe(1)
    let stops = true
    const stopped = process.outbox.lanes.stop(2 * MINUTE).then(() => (stops = false))
    await pass(0)
    expect(stops).toBe(true)
    await pass(MINUTE)
    expect(await sent).toMatchObject({ send: { state: 'accepted' } })
    expect([stops, process.outbox.running()]).toEqual([false, 0])
    await stopped
  })

  it('is never stored as a fallback: refused in production too, before anything is recorded [B OTP-06]', async () => {
    const options = { outsideWindow: template('login_code', 'sw', { body: [CODE] }) }
    const refused = caught(bench.boot({ strict: false }).record('See the next message', { options }))
    await bench.pass(0)
    expect(await refused).toMatchObject({ code: 'template_unsendable' })
    expect(await bench.store.counts()).toMatchObject({ sends: {} })
  })
})

/** What each process has of codes, by its outbox. */
const parts = new WeakMap<Outbox, BuiltInPart>()

function send({ outbox }: Process, code = CODE, to = ASHA): Promise<SendResult> {
  const { deps } = outbox
  const part =
    parts.get(outbox) ?? botPart.create({ ...deps, observers: createObservers(silent), guard: (run) => run() })
  parts.set(outbox, part)
  const content = oneTimeCode('login_code', 'sw', code)
  const given = { number: 'default', to, content, options: { key: ['login', to] } }
  return part.sends?.['code']?.(given) ?? Promise.reject(new Error('it sends no code'))
}
