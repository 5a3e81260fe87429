import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startSending, stopSending } from '../../../../src/bot/extras/comfort/comfort.ts'
import { type Bot, type Env, oneTimeCode, type Sender, template } from '../../../../src/bot/switchhook.ts'
import { says } from '../../../support/turn.ts'
import { ASHA, JUMA, openWorld } from '../../../support/virtual-world.ts'

interface Session {
  lang: string
}
type Shop = Bot<Env & { session: Session }> & Sender<Session>

const session = z.object({ lang: z.string().default('sw') })

function routes(bot: Bot & Sender): void {
  const shop = bot as unknown as Shop
  shop.hears(['stop', 'acha'], stopSending('No more news.'))
  shop.whileTakenOver((b) => b.hears(['stop', 'acha'], stopSending('No more news.')))
  shop.hears(['start', 'anza'], startSending('News again.'))
  shop.hears('english', (ctx) => void (ctx.session.lang = 'en'))
  shop.otherwise((ctx) => ctx.reply('A reply.'))
}
const openShop = () => openWorld(routes, { options: { session } })
const senderOf = ({ bot }: Awaited<ReturnType<typeof openShop>>) => bot as unknown as Shop
const news = (key: string) => ({ key, kind: 'marketing' }) as const
const SKIPPED = { via: 'skipped', why: 'opted_out' }

describe('a customer who wrote STOP', () => {
  it('gets no marketing until START, and all other messages', async () => {
    await using world = await openShop()
    const asha = world.bot.to(ASHA)
    await says(world, 'hello')
    expect(await asha.send('News 1', news('n1'))).toMatchObject({ via: 'freeform' })
    await says(world, 'Stop')
    expect(await asha.send('News 2', news('n2'))).toEqual(SKIPPED)
    await asha.send('Your order is ready', { key: 'order' })
    await says(world, 'hello')
    await says(world, 'anza')
    expect(await asha.send('News 3', news('n3'))).toMatchObject({ via: 'freeform' })
    expect(await world.replies()).toEqual([
      'A reply.',
      'News 1',
      'No more news.',
      'Your order is ready',
      'A reply.',
      'News again.',
      'News 3',
    ])
  })

  it('is opted out also while a person has them, without an answer', async () => {
    await using world = await openShop()
    await world.bot.to(ASHA).handOver({ for: '8h' })
    await says(world, 'stop')
    expect(await senderOf(world).to(ASHA).optedOut()).toMatchObject({ how: 'message' })
    expect(await world.replies()).toEqual([])
  })

  it('is shown with the time and the way, also after a restart, and stays opted out when forgotten', async () => {
    await using world = await openShop()
    const before = world.now()
    await says(world, 'stop')
    await world.restart(routes)
    const found = await world.bot.to(ASHA).optedOut()
    expect(found?.how).toBe('message')
    expect(Math.abs((found?.at.getTime() ?? 0) - before)).toBeLessThan(60_000)
    await world.bot.to(ASHA).forget()
    await world.settled()
    expect(await world.bot.to(ASHA).send('News', news('n'))).toEqual(SKIPPED)
  })

  it('gets no marketing that was scheduled before', async () => {
    await using world = await openShop()
    await world.emulator.templates.add({ name: 'news', language: 'en', body: 'News' })
    await says(world, 'hello')
    for (const at of [undefined, '1h'] as const)
      await world.bot.to(ASHA).send(template('news', 'en'), { ...news(`n${at}`), wait: 'stored', ...(at && { at }) })
    await says(world, 'stop')
    await world.pass('2h')
    expect((await world.replies()).length).toBe(3)
    const { sends } = await world.counts()
    expect(sends).toEqual({ accepted: 3, skipped: 1 })
  })

  it('gets a one-time code, because they wait for it', async () => {
    await using world = await openShop()
    await world.emulator.templates.add({ name: 'login_code', language: 'sw', category: 'AUTHENTICATION' })
    await says(world, 'stop')
    await world.bot.to(ASHA).send(oneTimeCode('login_code', 'sw', '123456'), { key: 'login' })
    expect((await world.emulator.customer(ASHA).codes()).map(({ code }) => code)).toEqual(['123456'])
  })
})

describe('an opt-out by the app', () => {
  it('counts as that of a customer, and says how', async () => {
    await using world = await openShop()
    await world.bot.to(`+${ASHA}`).optOut({ how: 'web form', at: new Date(world.now() - 1_000) })
    expect(await world.bot.to(ASHA).optedOut()).toEqual({ at: new Date(world.now() - 1_000), how: 'web form' })
    expect(await world.bot.to(ASHA).optIn({ how: 'web form', at: new Date(world.now() - 2_000) })).toBe(false)
    expect(await world.bot.to(ASHA).optIn({ how: 'web form' })).toBe(true)
    expect(await world.bot.to(ASHA).optedOut()).toBeUndefined()
  })
})

describe('marketing', () => {
  it('is skipped while a person has the customer', async () => {
    await using world = await openShop()
    await says(world, 'hello')
    await world.bot.to(ASHA).handOver({ for: '1h' })
    expect(await world.bot.to(ASHA).send('News', news('n'))).toEqual({ via: 'skipped', why: 'taken_over' })
    expect(await world.bot.to(ASHA).send('Your order', { key: 'order' })).toMatchObject({ via: 'freeform' })
  })

  it('goes out as the template at once unless the window is known to be open', async () => {
    await using world = await openShop()
    await world.emulator.templates.add({ name: 'news', language: 'en', body: 'News' })
    await says(world, 'hello')
    const o = { outsideWindow: template('news', 'en') }
    expect(await world.bot.to(ASHA).send('News', { ...news('a'), ...o })).toMatchObject({ via: 'freeform' })
    expect(await world.bot.to(JUMA).send('News', { ...news('j'), ...o })).toMatchObject({ via: 'template' })
    expect((await world.thread(JUMA)).filter(({ refused }) => refused)).toEqual([])
  })
})
