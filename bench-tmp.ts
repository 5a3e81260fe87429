import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHash, randomBytes } from 'node:crypto'
import { openSqlite as openOld } from '/work/store/src/stores/sqlite/index.ts'
import { openSqlite as openNew } from '/work/store/src/store/sqlite/index.ts'
const room = { take: () => true, give() {} }
let n = 0
function inputs(count: number, customers: number) {
  return Array.from({ length: count }, () => {
    const i = ++n
    const customer = `2557120${String(i % customers).padStart(5, '0')}`
    const text = `Hello, I would like to know whether order ${i} is ready, since I am in town today and could come by in the afternoon. Thank you very much, and say hello to everybody in the shop from me!`
    const at = Date.now()
    const body = Buffer.from(JSON.stringify({ event: 'message.received', message: { id: `msg_${i}_${randomBytes(8).toString('hex')}`, from: customer, type: 'text', text, timestamp: new Date(at).toISOString() }, contact: { name: 'Asha', phone: customer } }))
    const digest = createHash('sha256').update(body).digest()
    const delivery = { subscription: 'default', deliveryId: `01J${String(i).padStart(10, '0')}${randomBytes(6).toString('hex')}`, event: 'message.received', timestamp: Math.floor(at / 1000), digest, body, receivedAt: at, clockOffset: 0, trace: undefined }
    const facts = JSON.stringify({ values: { customer, text, at, kind: 'text', messageId: `msg_${i}` }, sure: ['customer', 'text', 'at', 'messageId', 'kind'], mapped: [], own: {} })
    const item = { idx: 0, kind: 'message', number: 'default', customer, lane: `default/${customer}`, at, facts, identity: { key: `id:${i}:${randomBytes(10).toString('hex')}`, binding: `${customer}/${at}` }, cause: { identity: `id:${i}`, signed: `signed:${i}` }, state: 'stored' }
    return { delivery, ingested: { state: 'ingested', items: [item], windows: [{ number: 'default', customer, lastAt: at }], statuses: [] } }
  })
}
async function round(open: any, list: any[], group: number) {
  const dir = mkdtempSync(join(tmpdir(), 'bench-'))
  const store = open(join(dir, 'x.db'))
  await store.renew?.('p1', () => Date.now(), 10000).catch?.(() => {})
  const before = process.cpuUsage()
  let settling: Promise<unknown> = Promise.resolve()
  for (let from = 0; from < list.length; from += group) {
    const got = await Promise.all(list.slice(from, from + group).map((x: any) => store.accept(x.delivery, { ingested: x.ingested, begin: { owner: 'p1', now: Date.now(), leaseMs: 10_000, room } })))
    await settling
    settling = Promise.all(got.map(async ({ started }: any) => { let f = started; while (f) { const r = await store.settleItem(f.fence, f.work.id, { as: 'done' }, { now: Date.now(), goOn: true, room }); f = r.next && (r.next.fence ? r.next : { fence: f.fence, work: r.next }) } }))
  }
  await settling
  const used = process.cpuUsage(before)
  const w = await store.waiting()
  if (w.items || w.deliveries) throw new Error(JSON.stringify(w))
  await store.close(); rmSync(dir, { recursive: true })
  ;(globalThis as any).split ??= []; (globalThis as any).split.push([used.user / list.length, used.system / list.length]); return (used.user + used.system) / list.length
}
const COUNT = Number(process.argv[2] ?? 5500), GROUP = Number(process.argv[3] ?? 55), CUST = Number(process.argv[4] ?? 2000)
const res: Record<string, number[]> = { old: [], new: [] }
for (let r = -1; r < 7; r++) {
  for (const [name, open] of r % 2 ? [['old', openOld], ['new', openNew]] as const : [['new', openNew], ['old', openOld]] as const) {
    if (process.argv[5] && process.argv[5] !== name) continue
    const us = await round(open, inputs(COUNT, CUST), GROUP)
    if (r >= 0) res[name]!.push(us)
  }
}
const med = (a: number[]) => a.sort((x, y) => x - y)[a.length >> 1]
for (const k in res) console.log(k, med(res[k]!)?.toFixed(1), res[k]!.map((x) => x.toFixed(1)).join(' '))
console.log((globalThis as any).split.slice(2).map((x: number[]) => x.map((y) => y.toFixed(0)).join("+")).join(" "))
for (const [k, [n, us, l]] of [...((globalThis as any).stat ?? [])].sort((a: any, b: any) => b[1][1] - a[1][1]).slice(0, 14)) { l.sort((a: number, b: number) => a - b); console.log(n, (us / n).toFixed(2), "median", l[l.length >> 1].toFixed(2), k) }
