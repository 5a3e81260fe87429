import { describe, expect, it } from 'vitest'
import { type Bot, type BotOptions, type Sender, signDelivery } from '../../src/bot/switchhook.ts'
import { ASHA, JUMA, openWorld, type World } from '../support/virtual-world.ts'

const OURS = '255699000001'

const message = (data: object) => ({
  event: 'message.received',
  data: { id: 'm1', message_type: 'text', content: 'hi', created_at: '2026-03-04T09:15:21Z', ...data },
})

describe('the recipient of a reply', () => {
  const answering = (bot: Bot & Sender) => bot.otherwise((ctx) => ctx.reply('hello'))

  it.each([
    ['two places disagree about who wrote', { from: ASHA, customer: { phone: JUMA } }, {}],
    ['only a guess says who wrote, and guesses are not answered', { from: ASHA }, { replies: 'mapped' }],
    ['it reports our own message', { direction: 'OUTBOUND', from: OURS, to: ASHA, business_number: OURS }, {}],
    ['it is our own number', { from: OURS, business_number: OURS, phone_number_id: OURS }, {}],
    ['the number is hidden behind a user id', { user_id: 'TZ.13491208655302741918' }, {}],
  ] as const)(
    'is nobody if %s: the delivery is kept, and nothing is sent [B IDEM-01]',
    async (_, data, options: BotOptions) => {
      await using world = await openWorld(answering, { options })
      await deliver(world, message(data))
      const { items, sends } = await world.counts()
      expect(items['done'] ?? 0).toBe(0)
      expect(sends).toEqual({})
      for (const customer of [ASHA, JUMA, OURS]) expect(await world.thread(customer)).toEqual([])
    },
  )

  it('is nobody outside the list of allowed recipients, by a reply or by a send', async () => {
    await using world = await openWorld(answering, { options: { allowedRecipients: [JUMA] } })
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.counts()).items['dead'] === 1)
    for (const to of [ASHA, `+${ASHA}`, '255 712 000 101'])
      await expect(world.bot.to(to).send('hi', { key: to })).rejects.toMatchObject({ code: 'recipient_not_allowed' })
    expect(await world.replies()).toEqual([])
    expect((await world.counts()).sends).toEqual({})
    await world.emulator.customer(JUMA).says('hi')
    await world.until(async () => (await world.replies(JUMA)).length === 1)
  })

  it('is a customer who wrote, never the subject of a report: the bot does not answer itself [B GEN-06]', async () => {
    await using world = await openWorld((bot) => {
      answering(bot)
      for (const event of ['message.sent', 'message.status', 'conversation.escalated'] as const) bot.on(event, () => {})
    })
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => ((await world.counts()).items['done'] ?? 0) >= 4)
    await world.settled()
    expect(await world.replies()).toEqual(['hello'])
    const { deliveries } = await world.store().listDeliveries({ limit: 99 })
    const kinds = deliveries.flatMap(({ items }) => items.map(({ kind }) => kind))
    expect([...new Set(kinds)].sort()).toEqual(['event', 'message', 'status'])
  })
})

/** Hands the bot a signed delivery, and waits until it is settled. */
async function deliver(world: World, payload: object): Promise<void> {
  const body = JSON.stringify(payload)
  const secret = world.emulator.signingSecret
  const deliveryId = '01JWWWWWWWWWWWWWWWWWWWWWW1'
  const headers = signDelivery({ body, secret, at: new Date(), event: 'message.received', deliveryId })
  expect(await world.deliver(headers, body)).toBe(200)
  await world.settled()
}
