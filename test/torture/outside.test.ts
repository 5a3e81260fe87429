import { expect, it } from 'vitest'
import type { Emulator } from 'switchhook/emulator'
import type { Order, Report } from '../../tools/torture/app.ts'
import { startOutside } from '../../tools/torture/outside.ts'
import { makePlan } from '../../tools/torture/plan.ts'
import type { App } from '../../tools/torture/processes.ts'

const plan = makePlan(2, { deliveries: 10, customers: 2, faultEvery: 100 }, 'server')
const nobody = { customer: () => ({ thread: async () => [] }) } as unknown as Emulator

/** A world whose processes answer each act, and whose database has these rows in the end. */
async function findings(rows: Readonly<Record<'sends' | 'statuses' | 'recipients' | 'customers', readonly object[]>>) {
  const hears: ((report: Report) => void)[] = []
  let states = 0
  const app = {
    ended: new Promise<never>(() => {}),
    order: (order: Order) => order.do === 'act' && setImmediate(() => hears[0]?.({ kind: 'acted', nth: order.nth })),
  } as unknown as App
  const outside = startOutside({
    plan,
    poster: { post: async () => ({ status: 200, body: '' }), close() {} },
    ground: {
      read: async (query) => {
        if (query.includes('taken_by')) return [{ state: states++ }]
        const [table] = Object.entries(rows).find(([name]) => query.includes(`FROM ${name}`)) ?? []
        return rows[table as keyof typeof rows] as readonly Readonly<Record<string, unknown>>[]
      },
    },
    app: () => app,
    url: () => '',
  })
  hears.push(outside.hear)
  const messages = Array.from({ length: 40 }, (_, nth) => `m${nth}`)
  for (const message of messages) outside.hear({ kind: 'took', message, upstream: undefined, customer: '1' })
  await outside.end()
  return (await outside.judge({ sendNotes: [], emulator: nobody })).map(({ says }) => says)
}

const all = (row: (message: string) => object) => Array.from({ length: 40 }, (_, nth) => row(`m${nth}`))
const SENDS = all((message_id) => ({ key: message_id, state: 'accepted', message_id }))
const kept = (stray: number | null) => all((message) => ({ message, status: 'delivered', stray }))

it('a run in which an acknowledged status is lost, or stays a stray beside its accepted send, has findings', async () => {
  const rows = { sends: SENDS, recipients: [], customers: [] }
  expect((await findings({ ...rows, statuses: kept(1) })).join()).toContain('is a stray, and its send was accepted')
  expect((await findings({ ...rows, statuses: [] })).join()).toContain('is 0 times in the database')
  expect((await findings({ ...rows, statuses: kept(null) })).join()).not.toContain('status of')
})

it('a run in which an announcement never reaches a recipient has a finding', async () => {
  const recipients = [{ customer: '255714000010', state: 'waiting' }]
  const rows = { sends: SENDS, statuses: kept(null), customers: [], recipients }
  expect(await findings(rows)).toContain('the announcement never reached its recipient 255714000010')
})
