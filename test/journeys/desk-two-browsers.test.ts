import { seededRandom } from '../../src/emulator/model/ids.ts'
import { describe, expect, it } from 'vitest'
import type { DeskPerson } from '../../src/features/people/desk/desk.ts'
import type { Chat } from '../../src/features/people/desk/desk-api.ts'
import { internalsOf } from '../../src/bot/bot-internals.ts'
import type { Bot, Sender } from '../../src/bot/switchhook.ts'
import { BARAKA, NEEMA, openDesk } from '../support/desk-client.ts'
import { says } from '../support/turn.ts'
import { ASHA, openWorld, type World } from '../support/virtual-world.ts'

// `SEED=7`, or `SEED=random`, plays another order. Over PostgreSQL 200 messages take half a minute: `MESSAGES=200`.
const isSlow = process.env['SWITCHHOOK_WORLDS_OVER'] === 'postgres'
const { SEED, MESSAGES: asked = isSlow ? '40' : '200' } = process.env
const MESSAGES = Number(asked)
const SEEDS = SEED !== undefined ? [Number(SEED) || Date.now() % 1_000_000] : isSlow ? [1] : [1, 2]

function routes(bot: Bot & Sender): void {
  bot.hears('person', async (ctx) => {
    await ctx.reply('Somebody will answer you here.')
    await ctx.handOver({ for: '4h' })
  })
  bot.otherwise((ctx) => ctx.reply(`re: ${ctx.message.text}`))
}

it.each(SEEDS)(
  'two browsers and one customer miss no message and have none twice beside a restart, and nobody answers over an unseen message unasked (seed %i)',
  async (seed) => {
    await using world = await openWorld(routes)
    const at = () => openDesk(world.bot, [NEEMA, BARAKA])
    const chance = seededRandom(seed)
    await says(world, 'person')
    const said = new Set(['person', 'Somebody will answer you here.'])
    const browsers = await Promise.all([NEEMA, BARAKA].map(async (one) => openBrowser(at, one)))
    let written = 0
    for (let nth = 0; nth < MESSAGES; nth++) {
      if (nth === MESSAGES / 2) {
        await world.crash(routes)
        for (const browser of browsers) await browser.connect()
      }
      const side = Math.floor(chance() * 3)
      const text = `message ${nth}`
      if (side === 2) {
        await world.emulator.customer(ASHA).says(text)
        said.add(text)
      } else {
        const browser = browsers[side]
        if (!browser) throw new Error('two browsers')
        const before = await newestOf(world)
        const answered = await browser.write(`key-of-${nth}`, text)
        if (answered === 'sent') {
          expect(browser.knew(before), `it was written over ${before}`).toBe(true)
          said.add(text)
          written++
        }
      }
      if (chance() < 0.4) await world.pass('2s')
    }
    for (let nth = 0; nth < 5; nth++) await world.pass('2s')
    expect(written).toBeGreaterThan(5)
    for (const { texts } of browsers) expect(texts().toSorted()).toEqual([...said].toSorted())
    expect((await world.thread()).filter(({ refused }) => !refused)).toHaveLength(said.size)
    for (const { close } of browsers) await close()
  },
)

/** The text that the customer or a person wrote last, as the database has it. */
async function newestOf(world: World): Promise<number> {
  const [row] = await world.read("SELECT max(id) AS newest FROM inbox WHERE kind = 'message'")
  return Number(row?.['newest'])
}

/** As the page does it: it reads the chat after each connect, and then what the stream tells. */
async function openBrowser(at: () => ReturnType<typeof openDesk>, person: DeskPerson) {
  const lines = new Map<string, string>()
  let seen = { message: 0, send: 0 }
  let desk = at().as(person)
  let stream = await desk.stream()
  let customer = ''
  let read = 0
  const show = (chat: Chat) => {
    for (const { id, text = '' } of chat.lines) lines.set(id, text)
    seen = { message: Math.max(seen.message, chat.seen.message), send: Math.max(seen.send, chat.seen.send) }
  }
  const take = () => {
    const chats = stream.of('chat')
    for (const chat of chats.slice(read)) show(chat)
    read = chats.length
  }
  const connect = async () => {
    desk = at().as(person)
    stream = await desk.stream()
    read = 0
    customer = (await desk.find(ASHA)).customer
    show(await desk.visit(customer))
  }
  await connect()
  return {
    connect,
    close: async () => stream.close(),
    knew: (message: number) => seen.message >= message,
    async write(key: string, text: string): Promise<'sent' | 'asked'> {
      await desk.post('presence', { customer })
      take()
      const { status } = await desk.act({ act: 'write', customer, key, seen, text })
      return status === 200 ? 'sent' : 'asked'
    },
    texts() {
      take()
      return [...lines.values()]
    },
  }
}

describe('open desks', () => {
  /** Time that passes all at once is one look of a stream. */
  async function seconds(world: World, count: number): Promise<void> {
    for (let nth = 0; nth < count; nth++) await world.pass('1s')
  }

  /** What a desk asks a store, and nothing else of a bot does. */
  const QUESTIONS = ['deskChanges', 'peopleRows', 'latestLines', 'waitingByPerson', 'chatOf'] as const

  function countQuestions(world: World) {
    const store = internalsOf(world.bot).desk()?.store
    if (!store) throw new Error('the bot is stopped')
    const counts = new Map<string, number>()
    for (const name of QUESTIONS) {
      const ask = store[name] as (...given: unknown[]) => unknown
      Object.assign(store, {
        [name](...given: unknown[]) {
          counts.set(name, (counts.get(name) ?? 0) + 1)
          return ask(...given)
        },
      })
    }
    return () => {
      const asked = Object.fromEntries(counts)
      counts.clear()
      return asked
    }
  }

  it.each([1, 50])('ask a database one question a second, however many they are (%i)', async (desks) => {
    await using world = await openWorld(routes)
    await says(world, 'person')
    const people = Array.from({ length: desks }, (_, nth) => ({ name: `person ${nth}`, write: true, reveal: true }))
    const at = openDesk(world.bot, people)
    const streams = await Promise.all(people.map((one) => at.as(one).stream()))
    for (const one of people) {
      const { customer } = await at.as(one).find(ASHA)
      await at.as(one).visit(customer)
    }
    await seconds(world, 3)
    const asked = countQuestions(world)
    await seconds(world, 10)
    const idle = asked()
    expect(idle['deskChanges']).toBeGreaterThanOrEqual(9)
    expect(idle['deskChanges']).toBeLessThanOrEqual(11)
    expect(idle).toEqual({ deskChanges: idle['deskChanges'] })

    await world.emulator.customer(ASHA).says('is it ready?')
    await seconds(world, 4)
    const { deskChanges: _, ...busy } = asked()
    // One message is two changes at most: it arrives, and it waits.
    for (const [name, count] of Object.entries(busy)) expect({ name, few: count <= 4 }).toEqual({ name, few: true })
    for (const { of } of streams) expect(of('chat').at(-1)?.lines.at(-1)).toMatchObject({ text: 'is it ready?' })

    for (const { close } of streams) await close()
    await seconds(world, 2)
    asked()
    await world.emulator.customer(ASHA).says('hello?')
    await seconds(world, 20)
    expect(asked()).toEqual({})
  })

  it('receive a change as the same bytes, if their people may see the same', async () => {
    await using world = await openWorld(routes)
    const at = openDesk(world.bot, [NEEMA, BARAKA, { name: 'guest' }])
    const readers = await Promise.all(
      [NEEMA, BARAKA, { name: 'guest' }].map(async (one) => {
        const { body } = await at.as(one).fetched('api/stream')
        if (!body) throw new Error('no stream came')
        const reader = body.getReader()
        // `retry` and `hello`.
        for (const _ of [1, 2]) await reader.read()
        return reader
      }),
    )
    await seconds(world, 2)
    await world.emulator.customer(ASHA).says('person')
    await seconds(world, 2)
    const [neema, baraka, guest] = await Promise.all(readers.map((reader) => reader.read()))
    expect(Buffer.from(neema?.value ?? []).toString('utf8')).toContain('event: rows')
    expect(baraka?.value).toBe(neema?.value)
    expect(guest?.value).not.toBe(neema?.value)
    expect(Buffer.from(guest?.value ?? []).toString('utf8')).not.toContain(ASHA)
    for (const reader of readers) await reader.cancel()
  })

  it('miss nobody of a second in which more customers write than one question reads', async () => {
    await using world = await openWorld((bot) => bot.otherwise((ctx) => ctx.log.info({}, 'noted')))
    const at = openDesk(world.bot, [NEEMA])
    const stream = await at.as(NEEMA).stream()
    await world.pass('2s')
    const customers = Array.from({ length: 450 }, (_, nth) => String(255_713_000_000 + nth))
    for (const customer of customers) void world.emulator.customer(customer).says('hello')
    await seconds(world, 3)
    const told = new Set(stream.of('rows').flatMap(({ rows }) => rows.map(({ phone }) => phone)))
    expect(customers.filter((customer) => !told.has(customer))).toEqual([])
    await stream.close()
  })

  it('continue after a sleep of hours, and show what was said meanwhile', async () => {
    await using world = await openWorld(routes)
    const at = openDesk(world.bot, [NEEMA])
    const stream = await at.as(NEEMA).stream()
    await world.pass('9h')
    await says(world, 'person')
    await world.pass('2s')
    expect(stream.of('rows').at(-1)).toMatchObject({ rows: [{ phone: ASHA, state: 'waiting' }] })
    expect(stream.of('gone')).toEqual([])
    await stream.close()
  })
})
