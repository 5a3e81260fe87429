import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { shapeOf } from '../../src/payload/index.ts'
import { putBackInOrder, type Retried } from '../../src/inspect/put-back.ts'
import { ASHA } from '../stores/samples.ts'
import { alone, arrived, DEAD, handle, inboxFolder, PARKED } from './inbox-support.ts'
import { jsonLines, NODE, run, shellLine } from './support.ts'

const { inbox, inApp, file } = inboxFolder()

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const EVENT = 'message.received'
const TEXT = 'My loan was refused'
const payload = { event: EVENT, data: { id: 'm-1', who: ASHA, text: TEXT, timestamp: 1_772_615_721 } }

/** A parked delivery for each of these payloads. */
const parked = (payloads: readonly object[], given = PARKED) =>
  inApp(async (store) => {
    const seqs: number[] = []
    for (const json of payloads)
      seqs.push(await arrived(store, [alone(given)], { body: Buffer.from(JSON.stringify(json)) }))
    return seqs
  })

const map = (facts: Record<string, string>) =>
  inApp((store) => store.keepMapping(Object.entries(facts).map(([fact, path]) => ({ event: EVENT, fact, path }))))

const parkedLeft = async () => (await inApp((store) => store.counts())).items['parked']

describe('switchhook inbox retry --preview', () => {
  it('shows what would now be read, by the mapping of the app’s last start, and puts nothing back [R EVT-07]', async () => {
    const [one, two] = await parked([payload, { ...payload, data: { ...payload.data, id: 'm-2' } }])
    const before = await inbox('retry', '--parked', '--preview')
    const { fingerprint } = shapeOf(payload)
    expect(before.code).toBe(0)
    for (const seq of [one, two])
      expect(before.stdout).toMatch(
        new RegExp(`^${seq} .* ${fingerprint} +would stay parked: fact_missing: customer$`, 'm'),
      )
    await map({ customer: 'data.who' })
    const after = await inbox('retry', '--parked', '--preview')
    expect(after.stdout).toContain(`${fingerprint}  would be handled\n`)
    expect(after.stdout).toMatch(/customer:? +data.who mapped/)
    expect(after.stdout).toMatch(/text:? +data.text guessed/)
    expect(await parkedLeft()).toBe(2)
    expect(await inApp((store) => store.pending(9))).toEqual([])
    for (const canary of [ASHA, TEXT]) expect(before.stdout + after.stdout).not.toContain(canary)
  })

  it('shows values to whoever asks for them, and all of it as JSON', async () => {
    const [seq] = await parked([payload])
    await map({ customer: 'data.who' })
    const revealed = await inbox('retry', '--parked', '--preview', '--reveal')
    expect(revealed.stdout).toContain(`"${ASHA}"`)
    const { stdout } = await inbox('retry', String(seq), '--preview', '--json')
    expect(jsonLines(stdout)).toMatchObject([
      { seq, event: EVENT, messages: [{ customer: { path: 'data.who', how: 'mapped', sure: true } }] },
    ])
    expect(stdout).not.toContain(ASHA)
  })

  it('says which fact is still missing of those that a handler needed, and what a function of the app may find', async () => {
    await parked([{ ...payload, data: { ...payload.data, from: ASHA } }], {
      state: 'parked',
      reason: 'fact_missing: orderId',
    })
    expect((await inbox('retry', '--parked', '--preview')).stdout).toContain('would stay parked: fact_missing: orderId')
    await map({ orderId: '()' })
    expect((await inbox('retry', '--parked', '--preview')).stdout).toContain(
      'may be handled: a function of the app looks for orderId',
    )
    await map({ orderId: 'data.id' })
    expect((await inbox('retry', '--parked', '--preview')).stdout).toContain('would be handled')
  })
})

describe('what is put back', () => {
  it('comes back in the order of arrival, however many there are, while the app is at work on them [R DEL-03]', async () => {
    const seqs = await inApp(async (store) => {
      const all: number[] = []
      for (let i = 0; i < 450; i++) all.push(await arrived(store, [alone(PARKED)]))
      return all
    })
    const order: number[] = []
    await inApp(async (store) => {
      const reingest = async (these: readonly number[]) => {
        order.push(...these)
        return store.reingest(these)
      }
      const retried: Retried = { items: 0, deliveries: 0, along: 0, untouched: [] }
      await putBackInOrder({ ...store, reingest }, seqs, { states: ['parked'], isMeant: () => true }, retried)
      expect(retried).toEqual({ items: 0, deliveries: 450, along: 0, untouched: [] })
    })
    expect(order).toEqual(seqs)
  })

  it('comes back in the order of arrival too if some are dead and some parked [R DEL-03]', async () => {
    const seqs: number[] = []
    for (const state of ['parked', 'dead', 'dead', 'parked', 'dead'])
      await inApp(async (store) => {
        seqs.push(await arrived(store, [alone(state === 'parked' ? PARKED : {})]))
        if (state === 'dead') await handle(store, DEAD)
      })
    const order: string[] = []
    await inApp(async (store) => {
      const watched = {
        ...store,
        reingest: (these: readonly number[]) => {
          order.push(...these.map((seq) => `parked ${seqs.indexOf(seq)}`))
          return store.reingest(these)
        },
        retryItems: async (ids: readonly number[], now: number) => {
          const rows = await store.deliveries(seqs)
          const isOf = (id: number) => rows.find(({ items }) => items.some((item) => item.id === id))?.seq ?? 0
          order.push(...ids.map((id) => `dead ${seqs.indexOf(isOf(id))}`))
          return store.retryItems(ids, now)
        },
      }
      const retried: Retried = { items: 0, deliveries: 0, along: 0, untouched: [] }
      await putBackInOrder(watched, seqs, { states: ['dead', 'parked'], isMeant: () => true }, retried)
      expect(retried).toEqual({ items: 3, deliveries: 2, along: 0, untouched: [] })
    })
    expect(order).toEqual(['parked 0', 'dead 1', 'dead 2', 'parked 3', 'dead 4'])
  })

  const hasScript = spawnSync('script', ['--version']).status === 0
  it.skipIf(!hasScript).for([
    ['n\r', 4, 1],
    ['y\r', 0, 0],
  ] as const)(
    'is shown at a terminal before it is put back, which it is not if the answer is %j',
    async ([typed, expected, left]) => {
      await parked([payload])
      await map({ customer: 'data.who' })
      const command = shellLine(...NODE, MAIN, 'inbox', 'retry', '--parked', '--database', file())
      const asking = run('script', ['-qec', command, '/dev/null'])
      await asking.heard('stdout', /would be handled[^]*data\.who[^]*Put back this delivery.*\[y\/N\] /)
      asking.child.stdin?.write(typed)
      expect((await asking.ended).code).toBe(expected)
      expect(await inApp(async (store) => (await store.pending(9)).length)).toBe(1 - left)
    },
  )
})
