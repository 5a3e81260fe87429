import { describe, expect, it } from 'vitest'
import { handOver, quietWhilePeopleWrite, resume } from '../../../../src/bot/extras/comfort/comfort.ts'
import { type BotOptions, buttons } from '../../../../src/bot/switchhook.ts'
import { happens, says, taps } from '../../../support/turn.ts'
import { ASHA, JUMA, openWorld } from '../../../support/world.ts'

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

it('a word returns the customer from the service’s own agent too [B GEN-07]', async () => {
  await using world = await openWorld(desk)
  await says(world, 'BOT')
  await says(world, 'hello')
  await says(world, 'menu')
  await says(world, 'hello')
  expect(await world.replies()).toEqual(['Here I am.', 'The bot speaks.'])
})

/** The text that the person writes. */
const BY_HAND = 'Hi, Neema here'

/** Wall time runs on, and can be moved. */
function movable() {
  let ahead = 0
  return { now: () => new Date(Date.now() + ahead), pass: (seconds: number) => void (ahead += seconds * 1_000) }
}

async function openDesk(o: { byPerson?: (json: unknown) => boolean } = {}, options: BotOptions = {}) {
  const clock = movable()
  const seen: string[] = []
  let answered = 0
  const world = await openWorld(
    (bot) => {
      const { byPerson } = o
      quietWhilePeopleWrite(bot, { for: '1h', ...(byPerson && { byPerson }) })
      bot.on('message.sent', (ctx) => void seen.push(JSON.stringify(ctx.json)))
      bot.otherwise((ctx) => ctx.reply(`To ${ctx.message.text}`))
      const count = ({ event }: { event?: string }) => void (event === 'message.received' && answered++)
      bot.observe({ handled: count, rested: count })
    },
    { options: { clock: clock.now, ...options }, emulator: { internals: { wall: clock.now } } },
  )
  const lookedAt = (text: string) => world.until(() => seen.some((payload) => payload.includes(text)))
  /** The number sent something, as the service may tell it; the bot has looked at it once. */
  const sent = async (more: { id?: string | undefined; by?: string; content?: string } = {}) => {
    await happens(world, 'message.sent', {
      event: 'message.sent',
      data: { id: 'from-elsewhere', to: ASHA, message_type: 'text', content: BY_HAND, ...more },
    })
    await lookedAt(more.content ?? BY_HAND)
  }
  const says = async (text: string, customer = ASHA) => {
    const before = answered
    await world.emulator.customer(customer).says(text)
    await world.until(() => answered > before)
  }
  return { world, clock, sent, says, lookedAt }
}

describe('while a person writes', () => {
  it('the bot does not reply until the span after the person’s last message has passed', async () => {
    const { world, clock, says, lookedAt } = await openDesk()
    await using _ = world
    await says('one')
    await world.control('POST', `customers/${ASHA}/replies`, { text: BY_HAND })
    await lookedAt(BY_HAND)
    clock.pass(31)
    await world.settled()
    await says('two')
    clock.pass(3_601)
    await says('three')
    expect(await world.replies()).toEqual(['To one', BY_HAND, 'To three'])
  })

  it('other customers are replied to', async () => {
    const { world, clock, sent, says } = await openDesk()
    await using _ = world
    await sent()
    clock.pass(31)
    await world.settled()
    await says('hello', JUMA)
    expect(await world.replies(JUMA)).toEqual(['To hello'])
  })

  it('a message counts after 30 s, and delays no message of its customer until then', async () => {
    const { world, clock, sent, says } = await openDesk()
    await using _ = world
    await sent()
    clock.pass(25)
    await world.emulator.customer(ASHA).says('one')
    await world.until(async () => (await world.replies()).length === 1)
    expect((await world.counts()).items).toMatchObject({ stored: 1 })
    clock.pass(6)
    await world.settled()
    await says('two')
    expect(await world.replies()).toEqual(['To one'])
  })

  it('a message of the bot itself does not count', async () => {
    const { world, clock, sent, says } = await openDesk()
    await using _ = world
    await says('one')
    const reply = (await world.thread()).at(-1)
    await sent({ id: reply?.id })
    clock.pass(31)
    await world.settled()
    await says('two')
    expect(await world.replies()).toEqual(['To one', 'To two'])
  })

  it('a message that may be a send with an unknown outcome hands nobody over', async () => {
    const { world, clock, says, lookedAt } = await openDesk({}, { onUnknown: 'hold' })
    await using _ = world
    await says('one')
    await world.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
    expect(await world.bot.to(ASHA).send('news', { key: 'n' })).toMatchObject({ send: { state: 'unknown' } })
    await lookedAt('news')
    clock.pass(31)
    await world.settled()
    await says('two')
    expect(await world.replies()).toEqual(['To one', 'news', 'To two'])
  })

  it('the app may decide which payloads are about a person’s message', async () => {
    const isPerson = (json: unknown) => (json as { data: { by?: string } }).data.by === 'person'
    const { world, clock, sent, says } = await openDesk({ byPerson: isPerson })
    await using _ = world
    await sent({ id: 'a', by: 'agent' })
    await world.settled()
    await says('one')
    await sent({ id: 'b', by: 'person', content: 'Me again' })
    clock.pass(31)
    await world.settled()
    await says('two')
    expect(await world.replies()).toEqual(['To one'])
  })
})
