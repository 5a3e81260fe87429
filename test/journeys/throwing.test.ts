import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SwitchhookError } from '../../src/base/errors.ts'
import type { Log } from '../../src/base/log.ts'
import { internalsOf } from '../../src/bot/bot-internals.ts'
import type { Hooks } from '../../src/bot/report/observers.ts'
import { createReports } from '../../src/bot/report/reports.ts'
import type { Watcher, Watching, WorkName } from '../../src/bot/watcher.ts'
import { type Bot, type Sender, template } from '../../src/bot/switchhook.ts'
import { headersOf } from '../bot/inbox/signing.ts'
import { openWorld, type World } from '../support/virtual-world.ts'
import { isPostgres } from '../support/world-database.ts'

/** Each hook of `observe`: the compiler names one that is missing. */
const HOOKS = Object.keys({
  accepted: 1,
  duplicate: 1,
  refused: 1,
  ignored: 1,
  rested: 1,
  quarantined: 1,
  handled: 1,
  failed: 1,
  dead: 1,
  parked: 1,
  send_accepted: 1,
  send_refused: 1,
  send_unknown: 1,
  send_retried: 1,
  send_skipped: 1,
  send_held: 1,
  fell_back: 1,
  diverged: 1,
  committed: 1,
  acted: 1,
  announcement: 1,
  alarm: 1,
} satisfies Record<keyof Hooks, 1>)

const WORK: readonly WorkName[] = ['receive', 'ingest', 'attempt', 'send']

/** No work is at hand when these are called, and no world here calls them. The others are behind the same guard. */
const ELSEWHERE = [
  'hook committed',
  'report failuresInARow',
  'report numbersFailed',
  'report receiving.elsewhere',
  'report receiving.notPosted',
  'report sends.unexpectedError',
]

/** All that the bot calls to tell something, by name. One of them throws, each time that it is called. */
function createSeams() {
  const all = new Set<string>()
  const reached = new Set<string>()
  const state: { throwing: string | undefined; hits: number } = { throwing: undefined, hits: 0 }
  const pass = (name: string) => {
    all.add(name)
    reached.add(name)
    if (name !== state.throwing) return
    state.hits++
    throw Object.assign(new Error('x'), { message: { code: 'E_STOCK' } })
  }

  function wrapped<T>(name: string, inner: T): T {
    if (typeof inner === 'function') {
      all.add(name)
      return ((...given: unknown[]) => {
        pass(name)
        return inner(...given) as unknown
      }) as T
    }
    if (typeof inner !== 'object' || inner === null) return inner
    const members = Object.entries(inner).map(([member, one]) => [
      member,
      wrapped(name.includes(' ') ? `${name}.${member}` : `${name} ${member}`, one as unknown),
    ])
    return Object.fromEntries(members) as T
  }

  const line = (level: string) => (_: unknown, message?: string) => pass(`log ${level}: ${message}`)
  const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  const hooks = Object.fromEntries(HOOKS.map((hook) => [hook, () => pass(`hook ${hook}`)])) as Hooks
  const watching = (work: WorkName): Watching => ({
    get context() {
      pass(`work ${work}.context`)
      return undefined
    },
    within(run) {
      pass(`work ${work}.within`)
      const result = run()
      pass(`work ${work}.within, behind it`)
      return result
    },
    reads: () => pass(`work ${work}.reads`),
    ends: () => pass(`work ${work}.ends`),
  })
  const watcher: Watcher = {
    begins(work) {
      pass(`work ${work}.begins`)
      return watching(work)
    },
    current() {
      pass('work current')
      return undefined
    },
  }
  for (const hook of HOOKS) all.add(`hook ${hook}`)
  for (const work of WORK)
    for (const member of ['begins', 'context', 'within', 'within, behind it', 'ends']) all.add(`work ${work}.${member}`)
  return {
    all,
    reached,
    state,
    log,
    hooks,
    watcher,
    createReports: ((...given) => wrapped('report', createReports(...given))) as typeof createReports,
  }
}

type Seams = ReturnType<typeof createSeams>

const ORDER = template('order_ready', 'en')

function open(seams: Seams, onUnknown: 'repeat' | 'hold' = 'repeat'): Promise<World> {
  return openWorld(
    (bot) => {
      routes(bot)
      const { hooks, watcher } = seams
      internalsOf(bot).add({ name: 'seams', hooks, watcher })
    },
    {
      options: { logger: seams.log, onUnknown, attempts: { max: 2 } },
      internals: { createReports: seams.createReports },
    },
  )
}

function routes(bot: Bot & Sender): void {
  bot.hears('next', (ctx) => void ctx.reply('it is your turn'))
  bot.hears('break', () => {
    throw Object.assign(new Error('x'), { message: { code: 'E_STOCK' } })
  })
  bot.hears('park', () => {
    throw new SwitchhookError('fact_missing', 'fact_missing: order')
  })
  bot.hears('diverge', async (ctx) => {
    await ctx.reply(`attempt ${ctx.attempt}`)
    throw new Error('again')
  })
  bot.hears('lose', async (ctx) => lose.get(ctx.customer)?.())
}

/** By its customer. */
const lose = new Map<string, () => Promise<void>>()

/** What happens in one round, for its own customer. Each message `next` waits behind another one. */
const SCENES: Readonly<Record<string, (world: World, customer: string, round: number) => Promise<void>>> = {
  async 'messages of a customer'(world, customer) {
    const person = world.emulator.customer(customer)
    for (const text of ['break', 'next', 'park', 'next', 'diverge', 'next', 'unheard', 'next']) await person.says(text)
    await world.pass('10m')
    await world.bot.to(customer).handOver({ for: '1h' })
    await person.says('rest')
    await world.settled()
    await world.bot.to(customer).resume()
  },

  async 'deliveries that cannot be read'(world, customer, round) {
    const secret = world.emulator.signingSecret
    let nth = 0
    const post = (payload: unknown, o: Parameters<typeof headersOf>[1] = {}) => {
      const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
      const delivery = `01HZY3F8Q2V6J9K4M7N0${String(round).padStart(4, '0')}${String(nth++).padStart(2, '0')}`
      const timestamp = Math.floor(world.now() / 1_000)
      return world.deliver(headersOf(Buffer.from(body), { secret, timestamp, delivery, ...o }), body)
    }
    const message = { from: customer, id: `msg_${round}`, type: 'text', text: 'next' }
    await post(message)
    await post({ ...message, from: undefined, id: `msg_${round}_x` })
    await post(`{"round":${round}, it is no JSON`)
    await post({ round }, { event: 'unknown.event' })
    const delivery = `01HZY3F8Q2V6J9K4M7N0P5${String(round).padStart(4, '0')}`
    const first = { delivery, timestamp: Math.floor(world.now() / 1_000) }
    for (let copy = 0; copy < 2; copy++) await post({ round, copied: true }, first)
    await post({ round, twice: true })
    await post({ round, twice: true })
    await post({ round }, { secret: 'whsec_forged' })
    await post({ round }, { timestamp: Math.floor(world.now() / 1_000) - 400 })
    await post({ ...message, text: 'another text', id: `msg_${round}` })
    const headers = headersOf(Buffer.from('x'))
    await internalsOf(world.bot).receive({ method: 'POST', headers, readBody: async () => ({ problem: 'timeout' }) })
    internalsOf(world.bot).desk()?.acted({ who: 'mary', act: 'look', what: 'x', count: 1 })
    await world.emulator.customer(customer).says('next')
  },

  async sends(world, customer, round) {
    const { faults } = world.emulator
    const person = world.emulator.customer(customer)
    const send = (what: string, more: object = {}) =>
      world.bot.to(customer).send(what, { key: [what, round], wait: 'stored', ...more })
    await send('outside the window', { outsideWindow: ORDER })
    await world.settled()
    await person.says('next')
    for (const rule of [{ status: 422 }, { status: 503 }, { status: 429 }, { status: 401 }]) {
      await faults.set([{ on: 'send', do: 'status', next: 1, ...rule }])
      await send(`status ${rule.status}`)
      await send(`behind ${rule.status}`)
      await world.pass('5m')
    }
    await faults.clear()
    await world.bot.to(customer).send(template('unknown', 'en'), { key: ['later', round], at: '1h' })
    await world.bot.cancel(['later', round])
    await world.bot.to(customer).optOut({ how: 'form' })
    await send('sale', { kind: 'marketing' })
    await send('last')
    await world.bot.announce(['news', round], [`${customer}9`], ORDER)
    await world.pass('1m')
  },

  async 'a send whose answer is lost'(world, customer, round) {
    const send = (what: string) => world.bot.to(customer).send(what, { key: [what, round], wait: 'stored' })
    await world.emulator.customer(customer).says('next')
    await world.settled()
    await world.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
    await send('lost')
    await send('behind it')
    await world.settled()
    await world.emulator.faults.clear()
  },

  async 'work that was taken over, lost, or could not be stored'(world, customer, round) {
    const person = world.emulator.customer(customer)
    const isMine = 'owner = (SELECT max(id) FROM processes WHERE dead = 0)'
    lose.set(customer, async () => {
      lose.delete(customer)
      await world.read(`UPDATE work SET run = run + 1 WHERE place = 1 AND ${isMine} RETURNING item`)
    })
    for (const text of ['lose', 'next']) await person.says(text)
    await world.settled()
    await world.emulator.faults.set([{ on: 'send', do: 'status', status: 429, next: 1 }])
    for (const what of ['lost', 'behind it'])
      await world.bot.to(customer).send(what, { key: [what, round], wait: 'stored' })
    await world.until(
      async () => (await world.read(`SELECT number FROM throttles WHERE closed_until > ${world.now()}`)).length > 0,
    )
    await world.read(`UPDATE sends SET place = 1, ${isMine} WHERE place = 0 RETURNING id`)
    for (let each = 0; each < 5; each++) await world.pass('2m')
    const store = world.store()
    const { accept } = store
    Object.assign(store, { accept: () => Promise.reject(new Error('the disk is full')) })
    await person.says('next')
    await world.settled()
    Object.assign(store, { accept })
    await world.pass('1h')
  },
}

describe.each(Object.keys(SCENES))('%s', (scene) => {
  const play = SCENES[scene] as (typeof SCENES)[string]

  it('leave no item and no send behind, whichever report, hook, watcher or line of the log throws [R DEL-03]', async () => {
    const seams = createSeams()
    await using world = await open(seams, scene.includes('answer is lost') ? 'hold' : 'repeat')
    await world.emulator.templates.add({ name: 'order_ready', language: 'en', body: 'Your order is ready.' })
    let round = 0
    const playWith = async (throwing: string | undefined) => {
      const customer = `2557120${String(++round).padStart(5, '0')}`
      Object.assign(seams.state, { throwing, hits: 0 })
      await play(world, customer, round)
      await world.settled()
      await world.pass('1m')
      const { items, sends } = await world.counts()
      const left = ['stored', 'running', 'retry', 'ready', 'attempting', 'scheduled'].filter(
        (one) => items[one] || sends[one],
      )
      const turns = (await world.replies(customer)).filter((text) => text === 'it is your turn').length
      const asked = (await world.thread(customer)).filter(
        ({ text, direction }) => direction === 'INBOUND' && text === 'next',
      )
      return { throwing, left, unanswered: asked.length - turns, hits: seams.state.hits > 0 }
    }
    await playWith(undefined)
    // Over a server each round takes a second: there each seam throws in one scene, and the log is the same as here.
    const names = [...seams.reached].filter((name) => !isPostgres || !(name.startsWith('log ') || told.has(name)))
    const seen: unknown[] = []
    for (const name of names) seen.push(await playWith(name))
    // What only begins or ends a world is not called again.
    const isOnce = (name: string) => /: (?:started|stopped|if the service's)/.test(name)
    expect(seen).toEqual(names.map((throwing) => ({ throwing, left: [], unanswered: 0, hits: !isOnce(throwing) })))
    for (const name of names) told.add(name)
    for (const name of seams.all) known.add(name)
  })
})

// The logger throws too, which is written there.
beforeEach(() => void vi.spyOn(process.stderr, 'write').mockReturnValue(true))
afterEach(() => void vi.restoreAllMocks())

const told = new Set<string>()
const known = new Set<string>(ELSEWHERE)

it('the scenes reach each report, hook and watcher, so that none is without such a test', () => {
  const untold = [...known].filter((name) => !name.startsWith('log ') && !told.has(name))
  expect(untold.toSorted()).toEqual(ELSEWHERE)
})
