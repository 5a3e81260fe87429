import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { heedStop, startSending, stopSending } from '../../src/comfort/index.ts'
import { type Bot, createBot, type Env, oneTimeCode, type Sender } from '../../src/index.ts'
import { says } from '../support/turn.ts'
import { ASHA, JUMA, openWorld } from '../support/virtual-world.ts'

interface Session {
  stopped: boolean
  lang: string
}
type Shop = Bot<Env & { session: Session }> & Sender<Session>

const session = z.object({ stopped: z.boolean().default(false), lang: z.string().default('sw') })

const openShop = () =>
  openWorld(
    (bot) => {
      const shop = bot as unknown as Shop
      shop.hears(['stop', 'acha'], stopSending('No more news.'))
      shop.hears(['start', 'anza'], startSending('News again.'))
      shop.hears('english', (ctx) => void (ctx.session.lang = 'en'))
      shop.otherwise((ctx) => ctx.reply('A reply.'))
    },
    { options: { session } },
  )
const senderOf = ({ bot }: Awaited<ReturnType<typeof openShop>>) => bot as unknown as Shop

describe('a customer who wrote STOP', () => {
  it('gets only replies, until START', async () => {
    await using world = await openShop()
    const news = heedStop(senderOf(world))
    await says(world, 'hello')
    expect(await news.to(ASHA).send('News 1', { key: 'n1' })).toMatchObject({ via: 'freeform' })
    await says(world, 'Stop')
    expect(await news.to(ASHA).send('News 2', { key: 'n2' })).toEqual({ via: 'skipped', why: 'stopped' })
    await says(world, 'anza')
    expect(await news.to(ASHA).send('News 3', { key: 'n3' })).toMatchObject({ via: 'freeform' })
    expect(await world.replies()).toEqual(['A reply.', 'News 1', 'No more news.', 'News again.', 'News 3'])
  })

  it('gets replies as before', async () => {
    await using world = await openShop()
    await says(world, 'stop')
    await says(world, 'hello')
    expect(await world.replies()).toEqual(['No more news.', 'A reply.'])
  })

  it('does not affect another customer', async () => {
    await using world = await openShop()
    await says(world, 'hello', JUMA)
    await says(world, 'stop')
    expect(await heedStop(senderOf(world)).to(JUMA).send('News', { key: 'n' })).toMatchObject({ via: 'freeform' })
  })

  it('is remembered after a restart', async () => {
    await using world = await openShop()
    await says(world, 'stop')
    await world.restart((bot) => bot.otherwise(() => {}))
    expect(await heedStop(senderOf(world)).to(ASHA).send('News', { key: 'n' })).toMatchObject({ why: 'stopped' })
  })

  it('gets a one-time code, because they wait for it', async () => {
    await using world = await openShop()
    await world.emulator.templates.add({ name: 'login_code', language: 'sw', category: 'AUTHENTICATION' })
    await says(world, 'stop')
    await heedStop(senderOf(world))
      .to(ASHA)
      .send(oneTimeCode('login_code', 'sw', '123456'), { key: 'login' })
    expect((await world.emulator.customer(ASHA).codes()).map(({ code }) => code)).toEqual(['123456'])
  })
})

describe('a session, read from outside', () => {
  it('is the last stored one, and a new one for a customer who never wrote', async () => {
    await using world = await openShop()
    await says(world, 'english')
    const sender = senderOf(world)
    expect(await sender.to(ASHA).session()).toEqual({ stopped: false, lang: 'en' })
    expect(await sender.to(`+${ASHA}`).session()).toEqual({ stopped: false, lang: 'en' })
    expect(await sender.to(JUMA).session()).toEqual({ stopped: false, lang: 'sw' })
  })

  it('cannot be changed there', async () => {
    await using world = await openShop()
    const read = await senderOf(world).to(ASHA).session()
    read.lang = 'fr'
    expect(await senderOf(world).to(ASHA).session()).toMatchObject({ lang: 'sw' })
  })

  it('is read in a handler too, before the handler’s changes', async () => {
    const read: unknown[] = []
    await using world = await openWorld(
      (bot) =>
        void (bot as unknown as Shop).otherwise(async (ctx) => {
          ctx.session.lang = `${ctx.session.lang}!`
          read.push(await ctx.to(ctx.customer).session())
        }),
      { options: { session } },
    )
    await says(world, 'one')
    await says(world, 'two')
    expect(read).toEqual([
      { stopped: false, lang: 'sw' },
      { stopped: false, lang: 'sw!' },
    ])
  })

  it('cannot be read before the start', async () => {
    await expect(createBot({ session, logger: false }).to(ASHA).session()).rejects.toMatchObject({
      code: 'not_started',
    })
  })
})
