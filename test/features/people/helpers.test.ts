import { describe, expect, it } from 'vitest'
import { handOver, quietWhilePeopleWrite, resume } from '../../../src/features/people/helpers.ts'
import { toMs } from '../../../src/base/duration.ts'
import { buttons } from '../../../src/bot/switchhook.ts'
import { happens, says, taps, turn } from '../../support/turn.ts'
import { ASHA, openWorld, type World } from '../../support/virtual-world.ts'

const desk = (bot: Parameters<Parameters<typeof openWorld>[0]>[0]) => {
  const toPerson = handOver('Somebody will write to you.', { for: '8h' })
  bot.hears(['person', 'mtu'], toPerson).tapped('person', toPerson)
  bot.whileTakenOver((b) => b.hears('menu', resume(buttons('Here I am.', [{ id: 'person', title: 'A person' }]))))
  bot.otherwise((ctx) => ctx.reply('The bot speaks.'))
}

it('a customer who asks for a person gets a confirmation, and no reply from the bot for that long', async () => {
  await using world = await openWorld(desk)
  await says(world, 'MTU')
  await says(world, 'my order is broken')
  await world.emulator.clock.advance('7h')
  await says(world, 'still there?')
  expect(await world.replies()).toEqual(['Somebody will write to you.'])
  await world.emulator.clock.advance('1h')
  await says(world, 'hello')
  expect(await world.replies()).toEqual(['Somebody will write to you.', 'The bot speaks.'])
})

it('a customer returns to the bot by a word, and can tap for a person again', async () => {
  await using world = await openWorld(desk)
  await says(world, 'person')
  await says(world, 'menu')
  await says(world, 'hello')
  await taps(world, 'person')
  await says(world, 'hello')
  expect(await world.replies()).toEqual([
    'Somebody will write to you.',
    'Here I am.',
    'The bot speaks.',
    'Somebody will write to you.',
  ])
})

/** The text that the person writes. */
const BY_HAND = 'Hi, Neema here'

type Options = Parameters<typeof quietWhilePeopleWrite>[1]

const openDesk = (o: Partial<Options> = {}) =>
  openWorld((bot) => {
    quietWhilePeopleWrite(bot, { for: '1h', ...o })
    bot.otherwise((ctx) => ctx.reply(`To ${ctx.message.text}`))
  })

/** The number sent something, as the service may tell it. */
const sent = async (world: World, more: { id?: string | undefined; by?: string } = {}) => {
  const data = { id: 'from-elsewhere', to: ASHA, message_type: 'text', content: BY_HAND, ...more }
  await happens(world, 'message.sent', { event: 'message.sent', data })
}

const isTaken = async (world: World) =>
  (await world.store().customerOf('default', ASHA, world.now())).silence !== undefined

describe('while a person writes', () => {
  it('the bot does not reply until the span after the person’s last message has passed', async () => {
    await using world = await openDesk()
    await says(world, 'one')
    await world.control('POST', `customers/${ASHA}/replies`, { text: BY_HAND })
    await world.settled()
    await says(world, 'two')
    await world.pass('1h')
    await says(world, 'three')
    expect(await world.replies()).toEqual(['To one', BY_HAND, 'To three'])
  })

  it('a message counts at once if nothing of the bot is under way for the customer', async () => {
    await using world = await openDesk()
    await sent(world)
    await says(world, 'one')
    expect(await world.replies()).toEqual([])
  })

  it('a handler that runs is too late, though its message came first', async () => {
    let finish = () => {}
    const slow = new Promise<void>((resolve) => (finish = resolve))
    await using world = await openWorld((bot) => {
      quietWhilePeopleWrite(bot, { for: '1h' })
      bot.otherwise(async (ctx) => {
        await slow
        await ctx.reply('The model says …')
      })
    })
    await turn(world, async () => {
      await world.emulator.customer(ASHA).says('one')
      await sent(world)
      await world.until(async () => await isTaken(world))
      finish()
    })
    expect(await world.replies()).toEqual([])
  })

  for (const [platformTakes, replies] of [
    ['1.5s', ['To one']],
    ['8s', ['To one', 'To two']],
  ] as const)
    it(`the next reply waits for at most 5 s until a send of ${platformTakes} shows who wrote`, async () => {
      await using world = await openDesk()
      await world.emulator.assumptions.set({ upstreamMs: toMs(platformTakes) })
      await world.emulator.customer(ASHA).says('one')
      await world.until(async () => (await world.counts()).sends['attempting'] === 1)
      await sent(world)
      await world.emulator.customer(ASHA).says('two')
      await world.settled()
      expect(await world.replies()).toEqual(replies)
      expect(await isTaken(world)).toBe(true)
    })

  it('a message of the bot itself does not count', async () => {
    await using world = await openDesk()
    await says(world, 'one')
    const reply = (await world.thread()).at(-1)
    await sent(world, { id: reply?.id })
    await world.pass('31s')
    await says(world, 'two')
    expect(await world.replies()).toEqual(['To one', 'To two'])
  })

  it('the app may decide which payloads are about a person’s message', async () => {
    await using world = await openDesk({ byPerson: (json) => (json as { data: { by?: string } }).data.by === 'person' })
    await sent(world, { id: 'a', by: 'agent' })
    await world.pass('31s')
    await says(world, 'one')
    await sent(world, { id: 'b', by: 'person' })
    await world.pass('31s')
    await says(world, 'two')
    expect(await world.replies()).toEqual(['To one'])
  })
})
