import { describe, expect, it } from 'vitest'
import { quietWhilePeopleWrite } from '../../src/comfort/index.ts'
import type { BotOptions } from '../../src/index.ts'
import { happens, says } from '../support/turn.ts'
import { ASHA, JUMA, openWorld, type World } from '../support/world.ts'

/** Wall time runs on, and can be moved. */
function movable() {
  let ahead = 0
  return { now: () => new Date(Date.now() + ahead), pass: (seconds: number) => void (ahead += seconds * 1_000) }
}

async function openDesk(o: { byPerson?: (json: unknown) => boolean } = {}, options: BotOptions = {}) {
  const clock = movable()
  const handled: string[] = []
  const world = await openWorld(
    (bot) => {
      const { byPerson } = o
      quietWhilePeopleWrite(bot, { for: '1h', ...(byPerson && { byPerson }) })
      bot.observe({ handled: ({ event }) => void handled.push(event ?? '') })
      bot.otherwise((ctx) => ctx.reply(`To ${ctx.message.text}`))
    },
    { options: { clock: clock.now, ...options }, emulator: { internals: { wall: clock.now } } },
  )
  const settledOnce = () => world.until(() => handled.includes('message.sent'))
  return { world, clock, handled, settledOnce }
}

/** The number sent something, as the service may tell it. */
const sent = (world: World, more: Record<string, unknown> = {}, customer = ASHA) =>
  happens(world, 'message.sent', {
    event: 'message.sent',
    data: { id: 'from-elsewhere', to: customer, message_type: 'text', content: 'Hi, Neema here', ...more },
  })

describe('while a person writes', () => {
  it('the bot does not reply, for so long after each of the person’s messages', async () => {
    const { world, clock, settledOnce } = await openDesk()
    await using _ = world
    await says(world, 'one')
    await sent(world)
    clock.pass(31)
    await settledOnce()
    await says(world, 'two')
    clock.pass(3_601)
    await says(world, 'three')
    expect(await world.replies()).toEqual(['To one', 'To three'])
  })

  it('other customers are replied to', async () => {
    const { world, clock, settledOnce } = await openDesk()
    await using _ = world
    await sent(world)
    clock.pass(31)
    await settledOnce()
    await says(world, 'hello', JUMA)
    expect(await world.replies(JUMA)).toEqual(['To hello'])
  })

  it('a message counts from 30 s on, and until then holds up no message of its customer', async () => {
    const { world, clock, handled, settledOnce } = await openDesk()
    await using _ = world
    await sent(world)
    clock.pass(25)
    await world.emulator.customer(ASHA).says('one')
    await world.until(async () => (await world.replies()).length === 1)
    expect(handled).toEqual(['message.received'])
    clock.pass(6)
    await settledOnce()
    await says(world, 'two')
    expect(await world.replies()).toEqual(['To one'])
  })

  it('what the bot itself sent is no person’s', async () => {
    const { world, clock, settledOnce } = await openDesk()
    await using _ = world
    await says(world, 'one')
    const reply = (await world.thread()).at(-1)
    await sent(world, { id: reply?.id })
    clock.pass(31)
    await settledOnce()
    await says(world, 'two')
    expect(await world.replies()).toEqual(['To one', 'To two'])
  })

  it('a send whose outcome is unknown may be what is told of, so nothing follows from it', async () => {
    const { world, clock, settledOnce } = await openDesk({}, { onUnknown: 'hold' })
    await using _ = world
    await says(world, 'one')
    await world.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
    expect(await world.bot.to(ASHA).send('news', { key: 'n' })).toMatchObject({ send: { state: 'unknown' } })
    await sent(world)
    clock.pass(31)
    await settledOnce()
    await says(world, 'two')
    expect(await world.replies()).toEqual(['To one', 'news', 'To two'])
  })

  it('the app may say which payloads are a person’s', async () => {
    const isPerson = (json: unknown) => (json as { data: { by?: string } }).data.by === 'person'
    const { world, clock, handled } = await openDesk({ byPerson: isPerson })
    await using _ = world
    await sent(world, { id: 'a', by: 'agent' })
    await world.until(() => handled.length === 1)
    await says(world, 'one')
    await sent(world, { id: 'b', by: 'person' })
    clock.pass(31)
    await world.until(() => handled.length === 3)
    await says(world, 'two')
    expect(await world.replies()).toEqual(['To one'])
  })
})
