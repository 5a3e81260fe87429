import { describe, expect, it } from 'vitest'
import { optOuts, quietWhilePeopleWrite } from '../../src/features/comfort/comfort.ts'
import { happens, says, turn } from '../support/turn.ts'
import { ASHA, openWorld, type World } from '../support/virtual-world.ts'

const OURS = '255711222333'

const sentBack = async (world: World, more: object = {}) => {
  const data = { id: 'e-1', from_me: true, from: OURS, to: ASHA, type: 'text', text: 'STOP', ...more }
  await happens(world, 'message.received', { event: 'message.received', data })
  await world.settled()
}

const isTaken = async (world: World) =>
  (await world.store().customerOf('default', ASHA, world.now())).silence !== undefined

describe('the number’s own message, sent back as one of the customer', () => {
  it('is never answered, opts nobody out, calls no agent and answers no question [R EVT-03]', async () => {
    const heard: string[] = []
    await using world = await openWorld((bot) => {
      optOuts(bot)
      const order = bot.conversation('order', { version: 1, timeout: '1h' }, async (chat) => {
        await chat.say(`Size ${await chat.ask('Which size?')}`)
      })
      bot.hears('order', (ctx) => ctx.enter(order))
      bot.use(async (ctx, next) => {
        heard.push(String(ctx.message.text))
        await next()
      })
      bot.on('message.sent', () => {})
      bot.received('reaction', () => void heard.push('reaction'))
      bot.otherwise((ctx) => ctx.reply('Hello'))
    })
    await says(world, 'order')
    for (const more of [{}, { text: 'BOT' }, { text: '43' }, { type: 'reaction', reaction: '👍' }, { to: undefined }])
      await sentBack(world, more)
    expect(heard).toEqual([])
    expect(await world.replies()).toEqual(['Which size?'])
    expect(await isTaken(world)).toBe(false)
    expect(await world.bot.to(ASHA).optedOut()).toBeUndefined()
    await says(world, '42')
    expect((await world.replies()).at(-1)).toBe('Size 42')
  })

  it('counts like message.sent: a person’s hands over, and the bot’s own does not', async () => {
    await using world = await openWorld((bot) => {
      quietWhilePeopleWrite(bot, { for: '1h' })
      bot.otherwise((ctx) => ctx.reply(`To ${ctx.message.text}`))
    })
    await says(world, 'one')
    await sentBack(world, { id: (await world.thread()).at(-1)?.id, text: 'To one' })
    expect(await isTaken(world)).toBe(false)
    await sentBack(world, { text: 'Hi, Neema here' })
    expect(await isTaken(world)).toBe(true)
    await says(world, 'two')
    expect(await world.replies()).toEqual(['To one'])
  })

  it('is ignored if nothing listens to what the number sends, also beside a message [R EVT-03]', async () => {
    await using world = await openWorld((bot) => void bot.otherwise((ctx) => ctx.reply(`To ${ctx.message.text}`)))
    const of = { type: 'text', timestamp: Math.floor(world.now() / 1_000) }
    const messages = [
      { ...of, id: 'b-1', from_me: true, from: OURS, to: ASHA, text: 'ours' },
      { ...of, id: 'b-2', from: ASHA, text: 'hers' },
    ]
    await says(world, 'one')
    await turn(world, () => happens(world, 'message.received', { event: 'message.received', messages }))
    expect(await world.replies()).toEqual(['To one', 'To hers'])
  })
})

describe('the name and the app’s own facts', () => {
  it('are in the context of a message, and gone after forget [R EVT-03]', async () => {
    const seen: unknown[] = []
    await using world = await openWorld(
      (bot) => void bot.otherwise(({ name, facts }) => void seen.push([name, facts])),
      { options: { facts: { 'message.received': { ward: 'data.meta.ward' } } } },
    )
    const data = {
      id: 'n-1',
      from: ASHA,
      type: 'text',
      text: 'hi',
      contact: { name: 'Asha M.' },
      meta: { ward: 'W-seven' },
    }
    await turn(world, () => happens(world, 'message.received', { event: 'message.received', data }))
    await turn(world, () => happens(world, 'message.received', { data: { ...data, id: 'n-2', contact: {}, meta: {} } }))
    expect(seen).toEqual([
      ['Asha M.', { ward: 'W-seven' }],
      [undefined, {}],
    ])
    expect(await world.rows()).toContain('Asha M.')
    await world.bot.to(ASHA).forget()
    await world.settled()
    expect(await world.rows()).not.toMatch(/Asha M\.|W-seven/)
  })

  it('are no part of a logged error, and neither is where somebody is [R EVT-03]', async () => {
    await using world = await openWorld(
      (bot) => {
        bot.otherwise(({ name, message: { location } }) => {
          throw new Error(`${name} at ${location?.name}, ${location?.latitude} ${location?.longitude}`)
        })
      },
      { options: { attempts: { max: 1 } } },
    )
    const location = { latitude: -6.81234, longitude: 39.28765, name: 'Home of Asha' }
    const data = { id: 'n-1', from: ASHA, type: 'location', location, contact: { name: 'Asha Mushi' } }
    await turn(world, () => happens(world, 'message.received', { event: 'message.received', data }))
    const logged = JSON.stringify(world.lines)
    expect(logged).toContain('[text] at [text], [text] [text]')
    expect(logged).not.toMatch(/Mushi|Home|6\.81|39\.28/)
  })
})
