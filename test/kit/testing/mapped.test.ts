import { describe, expect, it } from 'vitest'
import { buttons, createBot } from '../../../src/bot/switchhook.ts'
import { scenario } from '../../../src/kit/testing/testing.ts'

/** A service whose field names are all unfamiliar. */
const FACTS = {
  'message.received': {
    customer: 'mteja.simu',
    messageId: 'ujumbe.namba',
    kind: 'ujumbe.aina',
    at: 'ujumbe.muda',
    text: ['ujumbe.maneno', 'ujumbe.mengine'],
    'tapped.id': 'ujumbe.jibu.alama',
    'tapped.title': 'ujumbe.jibu.jina',
    'media.url': 'ujumbe.picha.anwani',
    'media.caption': 'ujumbe.picha.maelezo',
  },
  'message.status': { customer: 'mpokeaji', messageId: 'namba', status: 'hali', at: 'orodha[0].muda' },
} as const

describe('a bot that maps its facts', () => {
  it('is tested without recorded payloads: texts, taps, media and statuses are at its paths [R EVT-09]', async () => {
    const bot = createBot({ facts: FACTS, replies: 'mapped' })
    bot.hears('menu', (ctx) => {
      expect(ctx.event.json).toMatchObject({ mteja: { simu: '255712000101' }, ujumbe: { maneno: 'menu' } })
      return ctx.reply(buttons('Which size?', [{ id: 'size:42', title: 'Size 42' }]))
    })
    bot.tapped('size:42', (ctx) => ctx.reply(`${ctx.message.tapped?.title} it is`))
    bot.received('image', (ctx) => ctx.reply(`a picture: ${ctx.message.media?.caption}`))
    bot.otherwise((ctx) => ctx.reply(`you said ${ctx.message.text}`))
    const seen: unknown[] = []
    bot.on('message.status', (ctx) => void seen.push((ctx.event.json as { hali: string }).hali))
    await using s = await scenario(bot)
    const asha = s.customer('255712000101')
    // More turns than there are made-up shapes.
    for (let turn = 0; turn < 8; turn++) expect((await asha.says(`no ${turn}`)).text).toBe(`you said no ${turn}`)
    expect((await asha.sends('image', { url: 'https://media.example/1.jpg', caption: 'risiti' })).text).toBe(
      'a picture: risiti',
    )
    await asha.says('menu')
    for (let turn = 0; turn < 6; turn++) expect((await asha.taps('Size 42')).text).toBe('Size 42 it is')
    expect(seen).toContain('delivered')
  })

  it('that cannot read a message fails the turn with the reason and the option to set', async () => {
    const bot = createBot({ facts: { 'message.received': { customer: () => undefined } } })
    bot.otherwise((ctx) => ctx.reply('hi'))
    await using s = await scenario(bot)
    await expect(s.customer('255712000101').says('hi')).rejects.toThrow(
      /is parked: fact_missing: customer\. Map customer by the option facts: createBot/,
    )
  })
})
