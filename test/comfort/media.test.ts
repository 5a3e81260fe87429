import { expect, it } from 'vitest'
import { downloadMedia } from '../../src/comfort/index.ts'
import { ASHA, openWorld } from '../support/world.ts'

it('a picture whose address leads inside is not fetched, and its message is given up at once', async () => {
  const attempts: number[] = []
  await using world = await openWorld((bot) => {
    bot.received('image', async (ctx) => {
      attempts.push(ctx.attempt)
      await downloadMedia(ctx.message.media, { maxBytes: 1_000, signal: ctx.signal })
    })
    bot.onDead((error, ctx) => ctx.reply((error as { code: string }).code))
  })
  const media = { kind: 'image', url: 'https://169.254.169.254/latest/meta-data' }
  await world.control('POST', `customers/${ASHA}/messages`, { media })
  await world.until(async () => (await world.replies()).length === 1)
  expect(await world.replies()).toEqual(['media_refused'])
  expect(attempts).toEqual([1])
})
