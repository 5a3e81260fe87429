import { utimesSync } from 'node:fs'
import { Counter, Registry } from 'prom-client'
import { ulid } from 'ulid'
import { describe, expect, it } from 'vitest'
import { signDelivery } from '../../src/bot/switchhook.ts'
import type { Bot, Sender } from '../../src/bot/bot.ts'
import { internalsOf } from '../../src/bot/bot-internals.ts'
import { collectMetrics } from '../../src/features/metrics/metrics.ts'
import { backUp } from '../../src/store/sqlite/backup.ts'
import { listenOn } from '../bot/inbox/adapters/http.ts'
import { ASHA, openWorld } from '../support/world.ts'

/** The samples of a registry as Prometheus reads them, such as `switchhook_started{role="both"} 1`. */
async function samplesOf(register: Registry): Promise<Record<string, number>> {
  const lines = (await register.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

describe('the metrics of a bot', () => {
  it('count deliveries, attempts by route, and sends, and measure how long each took', async () => {
    const register = new Registry()
    await using world = await openWorld((bot) => {
      collectMetrics(bot, { register })
      bot.hears('hi', async (ctx) => {
        await ctx.reply('hello')
        if (ctx.attempt === 1) throw new Error('once')
      })
    })
    const { deliveryIds } = await world.emulator.customer(ASHA).says('hi')
    await world.until(
      async () => (await samplesOf(register))['switchhook_handler_seconds_count{route="hears:hi"}'] === 2,
    )
    await world.control('POST', `deliveries/${deliveryIds[0]}/redeliver`, {})
    await world.deliver({}, 'forged')
    const samples = await samplesOf(register)
    expect(samples).toMatchObject({
      'switchhook_deliveries_total{outcome="accepted",event="message.received"}': 1,
      'switchhook_deliveries_total{outcome="duplicate",event="message.received"}': 1,
      'switchhook_requests_refused_total{reason="missing"}': 1,
      'switchhook_attempts_total{outcome="failed",route="hears:hi"}': 1,
      'switchhook_attempts_total{outcome="handled",route="hears:hi"}': 1,
      'switchhook_send_attempts_total{outcome="accepted",via="freeform"}': 1,
      'switchhook_send_attempts_total{outcome="unknown",via="freeform"}': 0,
      switchhook_send_seconds_count: 1,
      switchhook_deliveries_dead_total: 0,
    })
    expect(samples['switchhook_acknowledgement_seconds_count']).toBeGreaterThanOrEqual(2)
    expect(samples['switchhook_commit_operations_sum']).toBeGreaterThan(2)
    expect(samples['switchhook_commit_seconds_sum']).toBeGreaterThan(0)
    expect(samples['switchhook_wait_seconds_count']).toBeGreaterThanOrEqual(1)
  })

  it('count by number what waits for a person until it is settled, also after a restart, and name a stopped number', async () => {
    let register = new Registry()
    let isBroken = true
    const routes = (bot: Bot & Sender) => {
      register = new Registry()
      collectMetrics(bot, { register })
      bot.otherwise((ctx) => {
        if (isBroken) throw new Error('always')
        return ctx.reply('hello')
      })
    }
    await using world = await openWorld(routes, { options: { attempts: { max: 1 } } })
    const dead = async (number: string) =>
      (await samplesOf(register))[`switchhook_database_needs_person{what="dead",number="${number}"}`]
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await dead('default')) === 1)
    await world.restart(routes)
    expect(await dead('default')).toBe(1)
    isBroken = false
    await world.emulator.faults.set([{ on: 'send', do: 'status', status: 401 }])
    const store = internalsOf(world.bot).desk()?.store
    await store?.retryItems([1], Date.now())
    await world.until(
      async () =>
        (await samplesOf(register))['switchhook_database_throttled_numbers{state="stopped",number="default"}'] === 1,
    )
    expect([await dead('default'), await dead('')]).toEqual([undefined, 0])
    expect(await samplesOf(register)).toMatchObject({
      'switchhook_database_needs_person{what="held",number="default"}': 1,
    })
  })

  it('have one series for a kind, without a number, if numbers are many', async () => {
    const register = new Registry()
    await using world = await openWorld((bot) => void collectMetrics(bot, { register }))
    const store = internalsOf(world.bot).desk()?.store
    for (let nth = 0; nth <= 50; nth++)
      await store?.takeOver({ number: `shop${nth}`, customer: ASHA, by: 'person', since: 1, until: 9e12 })
    const samples = await samplesOf(register)
    expect(Object.keys(samples).filter((name) => name.includes('shop'))).toEqual([])
    expect(samples['switchhook_database_needs_person{what="customers",number=""}']).toBe(51)
  })

  it('have no label with a customer, a text, or a name that anybody may choose [F-85]', async () => {
    const register = new Registry()
    await using world = await openWorld((bot) => {
      collectMetrics(bot, { register })
      bot.hears('hi', (ctx) => ctx.reply(`hello ${ASHA}`))
    })
    await world.emulator.customer(ASHA).says('hi')
    const body = JSON.stringify({ from: ASHA })
    const { signingSecret: secret } = world.emulator
    const headers = signDelivery({ body, secret, at: new Date(), event: 'made.up', deliveryId: ulid() })
    expect(await world.deliver(headers, body)).toBe(200)
    await world.until(async () => (await register.metrics()).includes('outcome="handled",route="hears:hi"'))
    const text = await register.metrics()
    expect(text).not.toContain(ASHA)
    expect(text).not.toContain('made.up')
    expect(text).toContain('switchhook_deliveries_total{outcome="accepted",event="other"} 1')
  })

  it('read the bot’s state at each scrape, and omit it while the bot is stopped', async () => {
    const register = new Registry()
    const work = Promise.withResolvers<void>()
    await using world = await openWorld((bot) => {
      collectMetrics(bot, { register })
      bot.otherwise(() => work.promise)
    })
    for (const text of ['one', 'two', 'three']) await world.emulator.customer(ASHA).says(text)
    await world.until(async () => (await samplesOf(register))['switchhook_database_waiting{what="items"}'] === 3)
    expect(await samplesOf(register)).toMatchObject({
      'switchhook_started{role="both"}': 1,
      'switchhook_lanes_in_hand{work="items"}': 1,
      switchhook_failures_in_a_row: 0,
      'switchhook_database_throttled_numbers{state="stopped",number=""}': 0,
      'switchhook_database_needs_person{what="dead",number=""}': 0,
      'switchhook_database_announcements{state="needs_person"}': 0,
      switchhook_database_oldest_waiting_seconds: expect.any(Number) as unknown,
    })
    expect((await samplesOf(register))['switchhook_database_log_bytes']).toBeGreaterThan(4_096)
    expect((await samplesOf(register))['switchhook_database_bytes']).toBeGreaterThanOrEqual(4_096)
    expect(await samplesOf(register)).not.toHaveProperty('switchhook_database_backup_age_seconds')
    await backUp(world.database, `${world.database}.copy`)
    expect((await samplesOf(register))['switchhook_database_backup_age_seconds']).toBeLessThan(600)
    utimesSync(`${world.database}.backed-up`, 0, Date.now() / 1_000 - 90_000)
    expect((await samplesOf(register))['switchhook_database_backup_age_seconds']).toBeGreaterThanOrEqual(89_999)
    work.resolve()
    await world.bot.stop()
    const stopped = Object.keys(await samplesOf(register))
    expect(stopped.filter((name) => /^switchhook_(started|database|lanes|failures)/.test(name))).toEqual([])
  })
})

it('a handler serves the metrics, also those of the app in the same registry, and hides the reason of a failure', async () => {
  const register = new Registry()
  await using world = await openWorld(() => {})
  const { handler } = collectMetrics(world.bot, { register })
  let fails = false
  const own = new Counter({
    name: 'app_orders_total',
    help: 'x',
    registers: [register],
    collect() {
      if (fails) throw new Error('a secret of the app')
    },
  })
  own.inc(3)
  const { url } = await listenOn(handler)
  const answer = await fetch(url)
  expect(answer.headers.get('content-type')).toBe(register.contentType)
  expect(answer.headers.get('connection'), 'a kept connection keeps the process of a bot that has stopped').toBe(
    'close',
  )
  expect(await answer.text()).toMatch(/app_orders_total 3[\s\S]*switchhook_|switchhook_[\s\S]*app_orders_total 3/)
  fails = true
  const failed = await fetch(url)
  expect([failed.status, await failed.text()]).toEqual([500, ''])
})
