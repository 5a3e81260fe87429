import { expect, it } from 'vitest'
import { handOver, resume } from '../../src/comfort/index.ts'
import { says, taps } from '../support/turn.ts'
import { openWorld } from '../support/world.ts'
import { buttons } from '../../src/index.ts'

const desk = (bot: Parameters<Parameters<typeof openWorld>[0]>[0]) => {
  const toPerson = handOver('Somebody will write to you.', { for: '8h' })
  bot.hears(['person', 'mtu'], toPerson).tapped('person', toPerson)
  bot.hears('menu', resume(buttons('Here I am.', [{ id: 'person', title: 'A person' }])))
  bot.otherwise((ctx) => ctx.reply('The bot speaks.'))
}

it('a customer who asks for a person is told so, and not answered by the bot, for so long', async () => {
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

it('a customer comes back to the bot by a word, and can tap for a person again', async () => {
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

it('a word takes the customer back from the service’s own agent too [B GEN-07]', async () => {
  await using world = await openWorld(desk)
  await says(world, 'BOT')
  await says(world, 'hello')
  await says(world, 'menu')
  await says(world, 'hello')
  expect(await world.replies()).toEqual(['Here I am.', 'The bot speaks.'])
})
