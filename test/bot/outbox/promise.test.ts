import { describe, expect, it } from 'vitest'
import { template } from '../../../src/service/template.ts'
import { ASHA, type Bench, eachWithBench } from './bench.ts'
import { listed, type Turn } from './service.ts'

const MINUTE = 60_000
const READY = template('order_ready', 'en', { body: ['7'] })

describe('one message per cause', () => {
  let bench: Bench
  eachWithBench((one) => (bench = one))

  /** The cost of each lost answer: nothing if keys are remembered, one extra message if they are forgotten. */
  it.each([
    ['remembered', 'repeat', 1, 1, false],
    ['remembered', 'repeat', 3, 1, false],
    ['forgotten', 'repeat', 1, 2, true],
    ['forgotten', 'repeat', 3, 4, true],
    ['remembered', 'hold', 1, 1, false],
    ['forgotten', 'hold', 1, 1, false],
  ] as const)(
    'keys are %s, and an unknown send is to %s: after %i lost answers %i arrived, and a doubt is marked: %s [B IDEM-06, B IDEM-07, F-65]',
    async (keys, onUnknown, lost, arrived, marked) => {
      const { service, pass, store } = bench
      service.remembers = keys === 'remembered'
      service.script = Array.from({ length: lost }, (): Turn => 'lost')
      const sent = send({ onUnknown })
      await pass(2 * MINUTE)
      expect(service.phone).toHaveLength(arrived)
      const state = onUnknown === 'hold' ? 'unknown' : 'accepted'
      expect(await sent).toMatchObject({ send: { state, possiblyTwice: marked } })
      expect([new Set(service.asked).size, new Set(service.bodies).size]).toEqual([1, 1])
      expect((await store.counts()).sends).toEqual({ [state]: 1 })
    },
  )

  it.each(['repeat', 'hold'] as const)(
    'answers a repeated send from its own record, however short the service’s memory is: %s [B IDEM-06]',
    async (onUnknown) => {
      const { service, pass } = bench
      service.remembers = false
      const process = bench.boot({ onUnknown })
      for (const _ of [1, 2, 3]) {
        const sent = send({}, process)
        await pass(0)
        expect(await sent).toMatchObject({ via: 'freeform', send: { state: 'accepted', possiblyTwice: false } })
      }
      expect(service.phone).toHaveLength(1)
    },
  )

  it('sends no fallback once the text may have arrived: a refusal of the repeat settles nothing [B ERR-06, B IDEM-07]', async () => {
    const { service, pass, store } = bench
    service.script = ['mute']
    const sent = send({})
    await pass(20_000)
    // The window closes, and the service has forgotten: each repeat is refused.
    service.closed.add(ASHA)
    service.remembers = false
    await pass(11 * MINUTE)
    expect(await sent).toMatchObject({ via: 'stored' })
    expect(service.phone.map(({ said }) => said)).toEqual(['ready'])
    expect((await store.counts()).sends).toEqual({ unknown: 1 })
  })

  it('sends the template under its own key if the window closes between check and send, once [B ERR-06, F-96]', async () => {
    const { service, pass } = bench
    service.closed.add(ASHA)
    service.script = ['taken', 'lost']
    const sent = send({})
    await pass(MINUTE)
    expect(await sent).toMatchObject({ via: 'template', replayed: true, send: { possiblyTwice: false } })
    expect(service.phone.map(({ said }) => said)).toEqual(['order_ready'])
    const [first, second, third] = service.asked
    expect([second, third]).toEqual([`${first}:fallback`, `${first}:fallback`])
  })

  it('tells a caller at once who comes while an acceptance is committed [F-74]', async () => {
    const { store, pass } = bench
    const commit = Promise.withResolvers<void>()
    const { settleSend } = store
    store.settleSend = async (...given) => {
      await commit.promise
      return settleSend(...given)
    }
    const process = bench.boot()
    expect(await process.record('hello')).toMatchObject({ send: { state: 'accepted' } })
    let told: unknown
    void process.record('hello').then((result) => (told = result))
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    commit.resolve()
    await pass(5)
    expect(told).toMatchObject({ send: { state: 'accepted' } })
  })

  it('two processes send the same message once, and each caller gets its result [F-74]', async () => {
    const { service, pass } = bench
    const [one, other] = [bench.boot(), bench.boot()]
    const sent = [send({}, one), send({}, other), send({}, one)]
    await pass(2_000)
    for (const each of await Promise.all(sent)) expect(each).toMatchObject({ via: 'freeform', diverged: false })
    expect(service.phone).toHaveLength(1)
  })

  function send(o: Parameters<Bench['boot']>[0], process = bench.boot(o)) {
    bench.service.templates = [listed()]
    return process.record('ready', { options: { outsideWindow: READY } })
  }
})
