import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { assemble } from '../../../src/bot/bot.ts'
import { AttemptOver, type MessageContext, signDelivery } from '../../../src/bot/switchhook.ts'
import { internalsOf } from '../../../src/bot/in/bot-internals.ts'
import type { Store } from '../../../src/store/store.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { createVirtualTime } from '../../../src/kit/testing/virtual-time.ts'
import { createService } from '../out/service.ts'
import { makeDatabase } from '../../store/postgres-backend.ts'
import { ASHA } from '../../support/people.ts'

/** Longer than a lease. */
const LONG_MS = 15_000

type Handler = (ctx: MessageContext) => unknown

/** Machines with a bot each, over one database with its own time, and the service that their replies go to. */
async function openMachines() {
  const { url } = await makeDatabase()
  const service = createService()
  const database = { now: Date.now() }

  async function openMachine(handle: Handler, slow: (store: Store) => Partial<Store> = () => ({})) {
    const time = createVirtualTime(0)
    /** The keys under which it has sent. */
    const sent: string[] = []
    const bot = assemble(
      {
        signingSecret: 'one',
        accessToken: 'token',
        baseUrl: 'http://127.0.0.1',
        logger: false,
        session: z.object({ heard: z.number().default(0) }),
        fetch(...asked) {
          sent.push(new Headers(asked[1]?.headers).get('idempotency-key') ?? '')
          return service.fetch(...asked)
        },
      },
      {
        environment: { NODE_ENV: 'production' },
        timers: time.timers(),
        monotonic: time.now,
        async open() {
          const store = await openPostgres(url)
          return { ...store, clock: () => database.now, ...slow(store) }
        },
      },
    )
    bot.otherwise(handle)
    await bot.start()
    onTestFinished(() => bot.stop())
    return {
      sent,
      /** A message comes to it. */
      async hears() {
        const data = {
          id: 'msg-1',
          from: ASHA,
          message_type: 'text',
          content: 'hi',
          created_at: new Date().toISOString(),
        }
        const body = JSON.stringify({ event: 'message.received', data })
        const signed = { body, secret: 'one', at: new Date(), event: 'message.received', deliveryId: '1' }
        const headers = new Headers(Object.entries(signDelivery(signed)))
        const readBody = async () => ({ bytes: Buffer.from(body) })
        expect(await internalsOf(bot).receive({ method: 'POST', headers, readBody })).toMatchObject({ status: 200 })
      },
      passes(ms: number) {
        time.moveTo(time.now() + ms)
        while (time.runNext());
      },
      /** It works until that holds. */
      async works(holds: () => boolean) {
        await expect
          .poll(() => {
            this.passes(1_000)
            return holds()
          })
          .toBe(true)
      },
      /** It stops, once it has ended what it does. */
      async ends() {
        let ended = false
        void bot.stop().then(() => (ended = true))
        await this.works(() => ended)
      },
    }
  }

  return { service, database, openMachine }
}

/** A caller that waits for it continues when it is opened. */
function gate() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const wait = () => {
    reach()
    return opened
  }
  return { wait, reached, open }
}

const CLOCKS = [
  ['went on meanwhile', LONG_MS],
  ['stood still too, as that of a machine which was suspended', 0],
] as const

describe.each(CLOCKS)('a machine that stood still for longer than its lease, whose own clock %s', (_how, passed) => {
  it('in a handler: its reply does not leave once another machine has handled the message [R DEL-03, F-55]', async () => {
    const { service, database, openMachine } = await openMachines()
    const frozen = gate()
    const failed = Promise.withResolvers<unknown>()
    const zombie = await openMachine(async (ctx) => {
      await frozen.wait()
      failed.resolve(await ctx.reply('from the zombie').catch((error: unknown) => error))
    })
    let handled = false
    const heir = await openMachine(() => void (handled = true))
    await zombie.hears()
    await frozen.reached
    database.now += LONG_MS
    await heir.works(() => handled)
    zombie.passes(passed)
    frozen.open()
    expect(await failed.promise).toBeInstanceOf(AttemptOver)
    await zombie.ends()
    expect(service.asked).toEqual([])
  })

  it('before its handler: sends nothing once another machine has the lane [R DEL-03, F-55]', async () => {
    const { service, database, openMachine } = await openMachines()
    const frozen = gate()
    const settled = Promise.withResolvers<boolean>()
    const heard: string[] = []
    const zombie = await openMachine(
      (ctx) => {
        heard.push('zombie')
        return ctx.reply('from the zombie')
      },
      (store) => ({
        async customerOf(...who) {
          await frozen.wait()
          return store.customerOf(...who)
        },
        async settleItem(...asked) {
          const answer = await store.settleItem(...asked)
          settled.resolve(answer.held)
          return answer
        },
      }),
    )
    const heir = await openMachine((ctx) => ctx.reply('from the heir'))
    await zombie.hears()
    await frozen.reached
    database.now += LONG_MS
    await heir.works(() => service.phone.length > 0)
    zombie.passes(passed)
    frozen.open()
    expect(await settled.promise).toBe(false)
    await zombie.ends()
    // A clock that stood still tells of nothing: then the fence alone keeps the reply back.
    expect(heard).toEqual(passed > 0 ? [] : ['zombie'])
    expect(service.phone.map(({ said }) => said)).toEqual(['from the heir'])
    expect(zombie.sent).toEqual([])
  })

  it('behind the record of a reply: the same bytes arrive once, from whichever machine [R IDEM-07, F-55]', async () => {
    const { service, database, openMachine } = await openMachines()
    const frozen = gate()
    const handle: Handler = (ctx) => ctx.reply('Hello.')
    const zombie = await openMachine(handle, (store) => ({
      async openSend(...asked) {
        const opened = await store.openSend(...asked)
        await frozen.wait()
        return opened
      },
    }))
    const heir = await openMachine(handle)
    await zombie.hears()
    await frozen.reached
    database.now += LONG_MS
    await heir.works(() => service.phone.length > 0)
    zombie.passes(passed)
    frozen.open()
    await zombie.ends()
    expect(service.phone.map(({ said }) => said)).toEqual(['Hello.'])
    expect(new Set(service.asked).size).toBe(1)
    expect(new Set(service.bodies).size).toBe(1)
    if (passed > 0) expect(zombie.sent).toEqual([])
  })
})
