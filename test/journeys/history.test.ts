import { describe, expect, it } from 'vitest'
import { buttons, image, type HistoryEntry } from '../../src/bot/switchhook.ts'
import { says, taps } from '../support/turn.ts'
import { ASHA, JUMA, openWorld } from '../support/virtual-world.ts'

const shown = (history: readonly HistoryEntry[]) =>
  history.map(({ by, text, template: sent }) => [by, text ?? sent?.name])

describe('a history', () => {
  it('has both sides’ messages, oldest first, with the current message and its replies [F-79]', async () => {
    const seen: unknown[] = []
    await using world = await openWorld((bot) => {
      bot.otherwise(async (ctx) => {
        await ctx.reply(
          buttons(`You said ${ctx.message.text ?? ctx.message.tapped?.title}`, [{ id: 'a', title: 'Tap' }]),
        )
        seen.push(shown(await ctx.history()))
      })
    })
    await says(world, 'one')
    await says(world, 'not hers', JUMA)
    await taps(world, 'a')
    expect(seen[0]).toEqual([
      ['customer', 'one'],
      ['bot', 'You said one'],
    ])
    expect(seen[2]).toEqual([
      ['customer', 'one'],
      ['bot', 'You said one'],
      ['customer', 'Tap'],
      ['bot', 'You said Tap'],
    ])
  })

  it('has a caption as text, and names the slot of each reply that has one, so that a note can be left out', async () => {
    let history: readonly HistoryEntry[] = []
    await using world = await openWorld((bot) => {
      bot.hears(/\/reply:/, async (ctx) => {
        await ctx.reply('One moment.', { slot: 'note' })
        await ctx.reply('Here.', { slot: 'a/reply#b' })
        await ctx.reply(image('https://cdn.example/more.png', { caption: 'More.' }))
        await ctx.to(ASHA).send('Own.', {})
        history = await ctx.history()
      })
    })
    await world.emulator.customer(ASHA).says('hi')
    await world.settled()
    await world.pass('1s')
    await world.bot.to(ASHA).send('News', { key: 'x/reply:note' })
    await world.pass('1s')
    await says(world, 'x/reply:y')
    expect(history.map(({ by, text, kind, slot }) => [by, text, kind, slot])).toEqual([
      ['customer', 'hi', 'text', undefined],
      ['bot', 'News', 'text', undefined],
      ['customer', 'x/reply:y', 'text', undefined],
      ['bot', 'One moment.', 'text', 'note'],
      ['bot', 'Here.', 'text', 'a/reply#b'],
      ['bot', 'More.', 'image', undefined],
      ['bot', 'Own.', 'text', undefined],
    ])
  })
})
