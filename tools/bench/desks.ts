/**
 * What open desks cost the bot beside them: one process with 200 messages a second, each answered, turn by turn without a
 * desk and with fifty; and what its heap, and that of a page, hold after many events. Lower is better.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Browser, chromium } from 'playwright-core'
import { LAUNCH } from '../../test/pages/emulator/support/browser.ts'
import { ask, type Contender, end, launch } from './contenders.ts'
import { pace } from './load.ts'
import { prepare } from './requests.ts'
import { handled, median, quantile } from './rounds.ts'
import type { Measured } from './table.ts'

const DESKS = 50
const RATE = 200
const SECONDS = 20
/** Not measured: after fifty desks have opened at once, the collector has their garbage to clear. */
const SETTLE_SECONDS = 5
const [FEW, MANY] = [2_000, 20_000]

export async function desks(enough: number): Promise<Measured[]> {
  return [...(await load(enough)), ...(await memory())]
}

interface Taken {
  readonly cpu: number
  readonly p99: number
}

export async function load(enough: number): Promise<Measured[]> {
  const place = await open()
  await place.turn(SECONDS)
  const settled = async () => {
    await place.turn(SETTLE_SECONDS)
    return place.turn(SECONDS)
  }
  const all: { readonly alone: Taken; readonly beside: Taken }[] = []
  while (all.length < enough) {
    const beside = async () => {
      await place.desks(DESKS)
      const taken = await settled()
      await place.desks(0)
      return taken
    }
    const isFirst = all.length % 2 === 0
    const first = await (isFirst ? settled() : beside())
    const second = await (isFirst ? beside() : settled())
    const round = isFirst ? { alone: first, beside: second } : { alone: second, beside: first }
    all.push(round)
    console.log(
      `round ${all.length}: us of CPU a delivery ${round.alone.cpu.toFixed(0)}, ${round.beside.cpu.toFixed(0)}; p99 in ms ${round.alone.p99.toFixed(2)}, ${round.beside.p99.toFixed(2)}`,
    )
  }
  await place.close()
  const compared = (of: (one: Taken) => number, unit: string) => {
    const values = all.map(({ alone, beside }) => of(beside) / of(alone))
    const [ours, before] = [median(all.map(({ beside }) => of(beside))), median(all.map(({ alone }) => of(alone)))]
    const spread = `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`
    return {
      value: median(values),
      note: `${ours.toFixed(unit === 'ms' ? 2 : 0)} ÷ ${before.toFixed(unit === 'ms' ? 2 : 0)} ${unit}, ${spread}; ${all.length} rounds of ${SECONDS} s`,
    }
  }
  return [
    { key: 'deskCpu', ...compared(({ cpu }) => cpu, 'µs') },
    { key: 'deskAnswer', ...compared(({ p99 }) => p99, 'ms') },
  ]
}

/** Each message is another customer's, but for one of ten, which is of the chat that the page has open. */
export async function memory(): Promise<Measured[]> {
  const place = await open()
  await place.turn(1, { customers: 1 })
  const browser = await chromium.launch(LAUNCH)
  const page = await openPage(browser, place.contender)
  await place.desks(DESKS)
  const more = { customers: MANY, chat: true }
  const heaps = async () => {
    await wait(3_000)
    return { server: (await ask(place.contender, { ask: 'heap' })).heap, page: await page.heap() }
  }
  await place.turn(FEW / RATE, more)
  const few = await heaps()
  await place.turn((MANY - FEW) / RATE, more)
  const many = await heaps()
  await browser.close()
  await place.close()
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1)
  const of = (which: 'server' | 'page') => ({
    value: many[which] / few[which],
    note: `${mb(many[which])} ÷ ${mb(few[which])} MB`,
  })
  return [
    { key: 'deskHeap', ...of('server') },
    { key: 'deskPageHeap', ...of('page') },
  ]
}

async function open() {
  const service = await launch('plain', { server: 'send-server.ts' })
  const contender = await launch('desk', { server: 'servers/desk.ts', service: `http://127.0.0.1:${service.port}` })
  const readers = fork(join(import.meta.dirname, 'servers/desk-readers.ts'), [String(contender.port)], {
    execArgv: ['--conditions=switchhook-source'],
  })
  await once(readers, 'message')
  let made = 0
  return {
    contender,
    async desks(count: number) {
      const answered = once(readers, 'message')
      readers.send(count)
      await answered
    },
    async turn(seconds: number, { customers = 1_000, chat = false } = {}): Promise<Taken> {
      const requests = prepare(seconds * RATE, { customers, from: made })
      made += requests.length
      if (chat)
        for (const [nth, request] of prepare(requests.length / 10, { customers: 1 }).entries())
          requests[nth * 10] = request
      const before = await ask(contender)
      const times = await pace(contender.port, requests, RATE)
      contender.sent += requests.length
      const after = await handled(contender)
      return { cpu: (after.cpu - before.cpu) / requests.length, p99: quantile(times, 0.99) }
    },
    async close() {
      readers.kill()
      await end(contender)
      await end(service)
    },
  }
}

async function openPage(browser: Browser, { port }: Contender) {
  const page = await browser.newPage({ extraHTTPHeaders: { 'x-who': 'person-0' } })
  await page.goto(`http://127.0.0.1:${port}/desk/#/recent`)
  await page.locator('.person').first().click()
  await page.locator('.bubble').first().waitFor()
  const session = await page.context().newCDPSession(page)
  return {
    async heap() {
      await session.send('HeapProfiler.collectGarbage')
      return (await session.send('Runtime.getHeapUsage')).usedSize
    },
  }
}
