import { expect, it } from 'vitest'
import { audio, buttons, type Content, createBot, document, image, link, list } from 'switchhook'
import { scenario, type Sent } from 'switchhook/testing'
import { ASHA } from '../../support/people.ts'

/** The message on the phone of a customer to whom a bot replied with this. */
async function shown(content: Content): Promise<Sent | undefined> {
  const bot = createBot()
  bot.otherwise((ctx) => ctx.reply(content))
  await using s = await scenario(bot)
  return (await s.customer(ASHA).says('hi')).replies[0]
}

const NOTHING = { template: undefined, media: undefined, link: undefined, sections: undefined, footer: undefined }

it('a reply shows the address, file name and caption of its media', async () => {
  const url = 'https://shop.example/menu.pdf'
  expect(await shown(document(url, { filename: 'menu.pdf', caption: 'Our menu' }))).toMatchObject({
    ...NOTHING,
    kind: 'document',
    text: 'Our menu',
    media: { kind: 'document', url, filename: 'menu.pdf', caption: 'Our menu' },
  })
  const media = { kind: 'audio', url, filename: undefined, caption: undefined }
  expect(await shown(audio(url))).toMatchObject({ ...NOTHING, kind: 'audio', text: '', media })
  expect(await shown(image(url))).toMatchObject({ kind: 'image', media: { url, filename: undefined } })
})

it('a reply shows the title and address of its link, and its footer', async () => {
  const to = { title: 'Open', url: 'https://shop.example/7781' }
  expect(await shown(link('Pay here', to, { footer: 'Safe' }))).toMatchObject({
    ...NOTHING,
    kind: 'interactive',
    text: 'Pay here',
    link: to,
    footer: 'Safe',
  })
})

it('a reply shows the sections and descriptions of a list', async () => {
  const track = { id: 'track', title: 'Track order', description: 'Where it is' }
  const hours = { id: 'hours', title: 'Hours' }
  expect(await shown(list('Which one?', { Orders: [track], Other: [hours] }, { footer: 'Mon to Fri' }))).toMatchObject({
    ...NOTHING,
    options: [{ id: 'track', title: 'Track order' }, hours],
    sections: [
      { title: 'Orders', rows: [track] },
      { title: 'Other', rows: [{ ...hours, description: undefined }] },
    ],
    footer: 'Mon to Fri',
  })
  expect(await shown(list('Which one?', [hours]))).toMatchObject({
    sections: [{ title: undefined }],
    footer: undefined,
  })
  expect(await shown(buttons('Which one?', [hours]))).toMatchObject({ ...NOTHING, kind: 'interactive' })
})

it('what a customer sent or tapped has its kind too, and a refused send has nothing but its text', async () => {
  const bot = createBot()
  bot.otherwise((ctx) => ctx.reply(buttons('Which one?', [{ id: 'hours', title: 'Hours' }])))
  await using s = await scenario(bot)
  const asha = s.customer(ASHA)
  await asha.sends('image', { url: 'https://media.example/1.jpg', caption: 'receipt' })
  s.faults.next(429)
  await asha.taps('Hours')
  const sent = { from: 'customer', status: undefined, options: [], refused: undefined }
  expect(asha.thread).toMatchObject([
    { ...sent, kind: 'image', text: 'receipt', media: { url: 'https://media.example/1.jpg', caption: 'receipt' } },
    { from: 'app', kind: 'interactive' },
    { ...sent, ...NOTHING, kind: 'interactive', text: 'Hours' },
    { ...NOTHING, from: 'app', kind: 'interactive', options: [], refused: { code: 'rate_limited' } },
    { from: 'app', kind: 'interactive', options: [{ id: 'hours' }], refused: undefined },
  ])
})
