import { expect, it } from 'vitest'
import type { Observed } from '../../../src/bot/switchhook.ts'
import { ASHA, openWorld, type World } from '../../support/virtual-world.ts'

const OPTIONS = { options: { burst: { quiet: '1500ms' } } } as const

const writes = (world: World, ...texts: string[]) =>
  Promise.all(texts.map((text) => world.emulator.customer(ASHA).says(text)))

it('a burst is reported once, with the deliveries of all its messages, and without their texts [F-85]', async () => {
  const handled: Observed[] = []
  const failed: Observed[] = []
  let isFixed = false
  await using world = await openWorld((bot) => {
    bot.observe({ handled: (one) => handled.push(one), failed: (one) => failed.push(one) })
    bot.otherwise(() => {
      if (!isFixed) throw new Error('no order 17 in "order 17, please" nor in "the blue one"')
    })
  }, OPTIONS)
  const sent = await writes(world, 'order 17', 'order 17, please', 'the blue one')
  await world.until(() => failed.length === 1)
  isFixed = true
  await world.settled()
  const deliveryIds = sent.flatMap((one) => one.deliveryIds)
  const about = { deliveryId: deliveryIds[2], deliveryIds, event: 'message.received', number: 'default' }
  expect(handled).toMatchObject([about])
  expect(failed).toMatchObject([{ ...about, reason: 'no [text] in "[text]" nor in "[text]"' }])
  const line = world.lines.find(({ message }) => message?.startsWith('a handler failed'))
  expect(line?.about).toMatchObject({ messages: 3, reason: failed[0]?.reason })
})
