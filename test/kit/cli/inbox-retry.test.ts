import { describe, expect, it } from 'vitest'
import { delivery, unclear } from '../../store/samples.ts'
import { ASHA, JUMA, openWorld } from '../../support/world.ts'
import { alone, arrived, DEAD, handle, inboxFolder, PARKED } from './inbox-support.ts'
import { jsonLines, switchhook } from './support.ts'

const { inbox, came, handled, inApp, states } = inboxFolder()

const PHONE = '255712345678'

describe('switchhook inbox retry', () => {
  it('requeues dead items, has parked ones ingested again, and prints how many [F-62]', async () => {
    const dead = await came([alone()])
    await handled(DEAD)
    const parked = await came([alone(PARKED)])
    const { code, stdout, stderr } = await inbox('retry', String(dead), String(parked))
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toBe(
      'Requeued: 1 dead item, 1 delivery to be ingested again.\nThe app handles that within a second, or when it starts.\n',
    )
    const waiting = await inApp((store) => store.unread(9))
    expect(waiting.map(({ seq }) => seq)).toEqual([parked])
    expect((await states()).items).toEqual({ stored: 2 })
  })

  it('requeues nothing twice: items that wait, run or are done stay, with the reason [F-62]', async () => {
    const dead = await came([alone()])
    await handled(DEAD)
    const parked = await came([alone(PARKED)])
    const done = await came([alone()])
    await handled({ as: 'done' })
    const later = await came([alone()])
    await handled({ as: 'retry', reason: 'x', at: Date.now() + 3_600_000, blocksLane: false, completedHandlers: [] })
    const stale = await inApp(async (store) => {
      await store.accept(delivery({ stale: true }))
      await store.accept(unclear())
      return later + 1
    })
    const all = [dead, parked, done, later, stale, stale + 1].map(String)
    await inbox('retry', String(dead), String(parked))
    const { code, stdout, stderr } = await inbox('retry', ...all, '--json')
    expect([code, stderr]).toEqual([0, ''])
    const [answer] = jsonLines(stdout)
    expect(answer).toMatchObject({ items: 0, deliveries: 0 })
    const untouched = (answer?.['untouched'] ?? []) as { seq: number; why: string }[]
    expect(untouched.map(({ seq, why }) => [seq, why])).toEqual([
      [dead, 'it waits already'],
      [parked, 'it waits already'],
      [done, 'it was handled'],
      [later, 'it is retried automatically'],
      [stale, 'its signature is valid, but its time was too far off: it is kept and never handled'],
      [stale + 1, 'its headers cannot be read'],
    ])
    expect((await states()).items).toEqual({ stored: 2, done: 1, retry: 1 })
  })

  it('chooses by state, customer, number, event and age, and changes nothing else [F-62]', async () => {
    const mine = { customer: PHONE, number: 'retail' }
    const seqs = await inApp(async (store) => {
      const both = await arrived(store, [alone(mine), alone({ idx: 1 })])
      const old = await arrived(store, [alone(mine)], { receivedAt: Date.now() - 7_200_000 })
      await handle(store, DEAD)
      return {
        both,
        old,
        parked: await arrived(store, [alone({ ...mine, ...PARKED })]),
        ignored: await arrived(store, []),
      }
    })
    const stored = async () =>
      inApp(async (store) => {
        const page = await store.listDeliveries({ states: ['stored'], limit: 9 })
        const waiting = (await store.unread(9)).map(({ seq }) => seq)
        const items = page.deliveries.flatMap(({ items: all }) => all.filter(({ state }) => state === 'stored'))
        return { waiting, items: items.map(({ idx, customer }) => [idx, customer]) }
      })
    expect(await inbox('retry', '--dead', '--number', 'wholesale')).toMatchObject({ stderr: 'Nothing was requeued.\n' })
    await inbox('retry', '--dead', '--since', '1h', '--customer', PHONE)
    expect(await stored()).toEqual({ waiting: [], items: [[0, PHONE]] })
    await inbox('retry', '--dead', '--parked', '--customer', PHONE)
    expect(await stored()).toEqual({
      waiting: [seqs.parked],
      items: [
        [0, PHONE],
        [0, PHONE],
        [0, PHONE],
      ],
    })
    await inbox('retry', String(seqs.ignored))
    expect((await stored()).waiting).toEqual([seqs.parked, seqs.ignored])
    expect((await states()).items).toEqual({ dead: 1, stored: 3 })
  })

  it('requeues only the delivery with the id: if a copy has the same id, it lists both [R SIG-07]', async () => {
    const first = delivery()
    const [genuine, copy] = await inApp(async (store) => {
      const seq = await arrived(store, [alone()], first)
      await handle(store, DEAD)
      await store.accept({ ...delivery(), deliveryId: first.deliveryId })
      const [conflict] = await store.unread(1)
      await store.ingest(conflict?.seq ?? 0, { state: 'conflict', items: [], windows: [], statuses: [] }, Date.now())
      return [seq, conflict?.seq ?? 0]
    })
    const id = first.deliveryId ?? ''
    expect(await inbox('retry', id)).toEqual({
      code: 1,
      stdout: '',
      stderr: `switchhook: several deliveries have the id ${id}: choose one of ${copy} (conflict), ${genuine} (dead)\n`,
    })
    expect(await inApp((store) => store.unread(9))).toEqual([])
    expect((await states()).items).toEqual({ dead: 1 })
    await inbox('retry', String(copy))
    expect(await inApp((store) => store.unread(9))).toMatchObject([{ seq: copy }])
  })
})

it('beside the running app has dead items handled again within moments, once, however often they are retried [F-62, F-55]', async () => {
  let fixed = false
  const runs: string[] = []
  await using world = await openWorld(
    (bot) =>
      bot.otherwise((ctx) => {
        runs.push(ctx.message.text ?? '')
        if (!fixed) throw new Error('not yet')
        return ctx.reply('fixed')
      }),
    { options: { attempts: { max: 1 } } },
  )
  await Promise.all([world.emulator.customer(ASHA).says('one'), world.emulator.customer(JUMA).says('two')])
  await world.until(async () => (await world.counts()).items['dead'] === 2)
  fixed = true
  runs.length = 0
  const retry = (...args: string[]) => switchhook(['inbox', 'retry', ...args, '--database', world.database])
  const [first, second] = await Promise.all([retry('--dead', '--json'), retry('--dead', '--json')])
  const items = [first, second].flatMap(({ stdout }) => jsonLines(stdout)).map((line) => Number(line['items']))
  expect([first.code, second.code, items.reduce((sum, count) => sum + count)]).toEqual([0, 0, 2])
  await world.until(async () => (await world.counts()).items['done'] === 2)
  expect(runs.sort()).toEqual(['one', 'two'])
  expect([await world.replies(ASHA), await world.replies(JUMA)]).toEqual([['fixed'], ['fixed']])
})
