import { describe, expect, it } from 'vitest'
import { template } from '../../../src/service/template.ts'
import { arrive } from '../../store/acts.ts'
import { item } from '../../store/samples.ts'
import { listed } from './service.ts'
import { ASHA, type Bench, caught, eachWithBench, type Process, T0 } from './bench.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const [ONE, TWO, THREE] = ['one', 'two', 'three'].map((word) => `${word} `.repeat(600).trim()) as [
  string,
  string,
  string,
]
const LONG = [ONE, TWO, THREE].join('\n\n')
const SPLIT = { options: { long: 'split' } } as const
const KEY = { slot: 'long' }
const READY = template('order_ready', 'en', { body: ['7781'] })
const WITH_TEMPLATE = { options: { long: 'split', outsideWindow: READY } } as const
const REFUSED = { status: 422, code: 'validation_error' }
const CLOSED = { status: 409, code: 'outside_messaging_window' }

describe('a message in parts', () => {
  let bench: Bench
  eachWithBench((one) => {
    bench = one
    bench.service.templates = [listed()]
  })

  const said = () => bench.service.phone.map(({ said: text }) => text.split(' ')[0])
  const states = async () => (await bench.store.listSends({ limit: 9 })).sends.toReversed().map(({ state }) => state)
  const ask = (process: Process, text = LONG, more: object = SPLIT) => process.record(text, { ...KEY, ...more })

  it('goes out in order, and its caller gets the first with all of them', async () => {
    const sending = ask(bench.boot())
    await bench.pass(0)
    expect(await sending).toMatchObject({
      via: 'freeform',
      send: { messageId: 'msg-1', parts: [{ messageId: 'msg-1' }, { messageId: 'msg-2' }, { messageId: 'msg-3' }] },
    })
    expect(said()).toEqual(['one', 'two', 'three'])
    expect(new Set(bench.service.asked).size).toBe(3)
  })

  it('stays together, though another message is recorded while it goes out', async () => {
    bench.service.script = ['taken', { status: 429, retryAfter: 5 }]
    const process = bench.boot()
    void ask(process)
    void process.record('other')
    await bench.pass(MINUTE)
    expect(said()).toEqual(['one', 'two', 'three', 'other'])
  })

  it('is refused with the name of the option without it, and a text that fits is one message with it', async () => {
    const process = bench.boot()
    const error = await caught(ask(process, LONG, { options: {} }))
    expect(error).toMatchObject({ code: 'content_invalid', message: expect.stringContaining("long: 'split'") })
    expect(String(error)).not.toContain('one one')
    expect(await states()).toEqual([])
    const sending = ask(process, ONE)
    await bench.pass(0)
    expect((await sending) as object).not.toHaveProperty('send.parts')
  })

  it('is split by the bot’s default, unless the call says otherwise', async () => {
    const process = bench.boot({ long: 'split' })
    void ask(process, LONG, {})
    await bench.pass(0)
    expect(said()).toEqual(['one', 'two', 'three'])
    expect(await caught(ask(process, LONG, { slot: 'b', options: { long: 'refuse' } }))).toMatchObject({
      code: 'content_invalid',
    })
  })

  it('is no flood: a text of more than twenty messages is refused', async () => {
    const process = bench.boot()
    for (const text of ['word '.repeat(20_000), 'word '.repeat(500_000)])
      expect(await caught(ask(process, text))).toMatchObject({ message: expect.stringContaining('20 messages') })
  })

  it('is found whole by a rerun, whatever its text: nothing goes out twice', async () => {
    const process = bench.boot()
    void ask(process)
    await bench.pass(0)
    for (const text of [LONG, `${ONE}\n\n${THREE}`, 'short', `${LONG}\n\n${'four '.repeat(800)}`]) {
      const again = ask(process, text, { ...SPLIT, mayDiverge: true })
      await bench.pass(0)
      expect(await again).toMatchObject({ replayed: true, diverged: text !== LONG, send: { parts: [{}, {}, {}] } })
    }
    expect(said()).toEqual(['one', 'two', 'three'])
  })

  it('is another text than its first part alone', async () => {
    const process = bench.boot()
    void ask(process, ONE)
    await bench.pass(0)
    expect(await caught(ask(process))).toMatchObject({ code: 'diverged' })
  })

  it.each([1, 2, 3])('arrives once, in order, if its process dies after request %i', async (requests) => {
    const first = bench.boot()
    const fetch = bench.service.fetch
    let made = 0
    bench.service.fetch = async (...call) => {
      const answer = await fetch(...call)
      if (++made === requests) first.kill()
      return answer
    }
    void ask(first)
    await bench.pass(0)
    expect(said()).toHaveLength(requests)
    bench.service.fetch = fetch
    const second = bench.boot()
    await bench.pass(MINUTE)
    const rerun = ask(second, `${THREE}\n\n${ONE}`, { ...SPLIT, mayDiverge: true })
    await bench.pass(MINUTE)
    expect(said()).toEqual(['one', 'two', 'three'])
    expect(await rerun).toMatchObject({ via: 'freeform', send: { parts: [{}, {}, {}] } })
  })

  it('waits while a part is unknown, and others do not', async () => {
    bench.service.script = ['taken', 'lost']
    const process = bench.boot({ onUnknown: 'hold' })
    const sending = ask(process)
    void process.record('other')
    await bench.pass(HOUR)
    expect(await sending).toMatchObject({
      via: 'stored',
      send: { parts: [{ state: 'accepted' }, { state: 'unknown' }, { state: 'held' }] },
    })
    expect(said()).toEqual(['one', 'two', 'other'])
  })

  it.each([
    ['accepted', ['one', 'two', 'three']],
    ['resend', ['one', 'two', 'three']],
    ['drop', ['one', 'two']],
  ] as const)('follows what a person says of an unknown part: %s', async (as, arrived) => {
    bench.service.script = ['taken', 'lost']
    void ask(bench.boot({ onUnknown: 'hold' }))
    await bench.pass(MINUTE)
    const [unknown] = (await bench.store.listSends({ limit: 9, state: 'unknown' })).sends
    expect(await bench.store.resolveSend(unknown?.id ?? '', as, bench.now())).toMatchObject({ done: true })
    await bench.pass(MINUTE)
    expect(said()).toEqual(arrived)
    expect((await states()).at(-1)).toBe(as === 'drop' ? 'skipped' : 'accepted')
  })

  it('does not begin the next while an answer is awaited', async () => {
    bench.service.script = ['taken', 'cut', 'cut']
    void ask(bench.boot())
    await bench.pass(500)
    expect([said(), await states()]).toEqual([['one'], ['accepted', 'attempting', 'ready']])
    await bench.pass(MINUTE)
    expect(said()).toEqual(['one', 'two', 'three'])
  })

  it('ends with a part that is refused, and its caller gets that', async () => {
    bench.service.script = ['taken', REFUSED]
    const sending = caught(ask(bench.boot()))
    await bench.pass(MINUTE)
    expect(await sending).toMatchObject({ code: 'validation_error' })
    expect([said(), await states()]).toEqual([['one'], ['accepted', 'refused', 'skipped']])
  })

  it('is continued by a rerun behind what arrived, with the recorded bytes', async () => {
    bench.service.script = ['taken', REFUSED]
    const process = bench.boot()
    void ask(process).catch(() => {})
    await bench.pass(MINUTE)
    const rerun = ask(process, 'another text', { ...SPLIT, mayDiverge: true })
    await bench.pass(MINUTE)
    expect(await rerun).toMatchObject({ via: 'freeform', diverged: true })
    expect(said()).toEqual(['one', 'two', 'three'])
  })

  it('is replaced by a rerun if no part of it arrived', async () => {
    bench.service.script = [REFUSED]
    const process = bench.boot()
    void ask(process).catch(() => {})
    await bench.pass(MINUTE)
    expect(await states()).toEqual(['refused', 'skipped', 'skipped'])
    const rerun = ask(process, `${THREE}\n\n${ONE}`)
    await bench.pass(MINUTE)
    expect(await rerun).toMatchObject({ send: { parts: [{}, {}] } })
    expect([said(), await states()]).toEqual([
      ['three', 'one'],
      ['accepted', 'accepted'],
    ])
  })

  it.each([
    ['the first', [CLOSED], ['order_ready'], 'template'],
    ['a later part', ['taken', CLOSED], ['one', 'order_ready'], 'template'],
  ] as const)('ends with the template, once, if the window is closed for %s', async (_, script, arrived, via) => {
    bench.service.script = [...script]
    const sending = ask(bench.boot(), LONG, WITH_TEMPLATE)
    await bench.pass(MINUTE)
    expect(await sending).toMatchObject({ via, send: { parts: [{}, {}, {}] } })
    expect(said()).toEqual(arrived)
    expect((await states()).slice(arrived.length)).toEqual(Array(3 - arrived.length).fill('skipped'))
  })

  it('sends the template at once, and nothing behind it, if the window is known to be closed', async () => {
    const { store } = bench
    await arrive(store, [item()], T0, [{ number: 'default', customer: ASHA, lastAt: T0 - 25 * HOUR }])
    const sending = ask(bench.boot(), LONG, WITH_TEMPLATE)
    await bench.pass(MINUTE)
    expect(await sending).toMatchObject({ via: 'template' })
    expect(bench.service.asked).toHaveLength(1)
    expect(await caught(ask(bench.boot(), LONG, { slot: 'other', ...SPLIT }))).toMatchObject({ code: 'outside_window' })
    expect((await states()).slice(3)).toEqual(['refused', 'skipped', 'skipped'])
  })

  it('throws for a closed window without a template', async () => {
    bench.service.script = ['taken', CLOSED]
    const sending = caught(ask(bench.boot()))
    await bench.pass(MINUTE)
    expect(await sending).toMatchObject({ code: 'outside_window' })
    expect([said(), await states()]).toEqual([['one'], ['accepted', 'refused', 'skipped']])
  })

  it('ends with a take-over, and with a part that comes too late, of which the caller hears in the parts', async () => {
    for (const [slot, lastsMs] of [
      ['taken', undefined],
      ['late', 10_000],
    ] as const) {
      bench.service.script = ['taken', { status: 429, retryAfter: 20 }]
      const reply = { cause: `message:${slot}`, slot, reply: { expiresAt: lastsMs && bench.now() + lastsMs }, ...SPLIT }
      const sending = bench.boot().record(LONG, reply)
      await bench.pass(0)
      if (lastsMs === undefined) {
        const who = { number: 'default', customer: ASHA }
        await bench.store.takeOver({ ...who, by: 'person', since: bench.now(), until: bench.now() + 30_000 })
      }
      await bench.pass(29_000)
      const code = lastsMs === undefined ? 'taken_over' : 'stale'
      const result = await sending
      expect(result).toMatchObject({
        via: 'freeform',
        send: { parts: [{ state: 'accepted' }, { state: 'skipped' }, {}] },
      })
      const rows = (await bench.store.listSends({ limit: 3 })).sends.toReversed()
      expect(rows.map((row) => row.code)).toEqual([undefined, code, 'earlier_part'])
      await bench.pass(2 * MINUTE)
    }
  })

  it('waits for its time whole, and is cancelled whole', async () => {
    const process = bench.boot()
    const later = { options: { long: 'split', at: '1h', wait: 'stored' } } as const
    await ask(process, LONG, later)
    await bench.pass(HOUR - 1)
    expect(await states()).toEqual(['scheduled', 'scheduled', 'scheduled'])
    await bench.pass(MINUTE)
    expect(said()).toEqual(['one', 'two', 'three'])
    await ask(process, LONG, { ...later, slot: 'b' })
    expect(await process.outbox.cancel('default', 'b')).toBe(true)
    expect((await states()).slice(3)).toEqual(['cancelled', 'skipped', 'skipped'])
    await bench.pass(2 * HOUR)
    expect(bench.service.phone).toHaveLength(3)
  })
})
