import { afterEach, beforeEach } from 'vitest'
import { adminPage, type AdminOptions } from '../../src/admin/admin.ts'
import type { Act, Done } from '../../src/admin/requests.ts'
import { assemble, type Bot, type Sender } from '../../src/bot/bot.ts'
import type { Observed } from '../../src/bot/switchhook.ts'
import type { Store } from '../../src/store/store.ts'
import type { Place } from '../store/backend.ts'
import { arrive, begin, seqOf } from '../store/acts.ts'
import { delivery, item, T0 } from '../store/samples.ts'
import { sqlite } from '../store/sqlite-backend.ts'

const NOW = T0 + 60_000

/** The number, the text and the name that nobody may see unless they ask for it. */
export const CANARY = { customer: '255719876543', text: 'Mpenzi wangu', name: 'Zuhura Canary' }

export type Options = Partial<AdminOptions<Request>>

/** A page over a bot that does not work, so that the rows of a test do not change. */
export interface Stage {
  readonly store: Store
  readonly bot: Bot & Sender
  readonly acted: readonly Observed[]
  /** The messages of errors in the log. */
  readonly logged: readonly (string | undefined)[]
  /** Another page of the same bot; by default its visitor may do all. */
  page(o?: Options): PageUnderTest
}

export interface PageUnderTest {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: unknown): Promise<T>
  act(act: Act): Promise<Done>
  /** Status and body, whatever they are. */
  ask(path: string, o?: RequestInit): Promise<{ status: number; body: unknown; headers: Headers; text: string }>
}

const HOST = 'http://shop.test/ops/admin/'

export function useStage(): Stage {
  let place: Place
  let store: Store
  let bot: Bot & Sender
  let acted: Observed[]
  let logged: (string | undefined)[]
  beforeEach(async () => {
    acted = []
    logged = []
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: (_: unknown, message?: string) => void logged.push(message),
    }
    place = await sqlite.place()
    store = await place.open()
    bot = assemble(
      { signingSecret: 'whsec_0123456789abcdef0123456789abcdef', logger, clock: () => new Date(NOW) },
      { environment: {}, open: () => ({ ...store, clock: () => NOW, close: async () => {} }) },
    )
    bot.observe({ acted: (observed) => void acted.push(observed) })
    await bot.start({ role: 'receive' })
  })
  afterEach(async () => {
    await bot.stop()
    await place.remove()
  })
  return {
    get store() {
      return store
    },
    get bot() {
      return bot
    },
    get acted() {
      return acted
    },
    get logged() {
      return logged
    },
    page: (o) => pageOver(bot, o),
  }
}

function pageOver(bot: Bot & Sender, o: Options = {}): PageUnderTest {
  const page = adminPage(bot, { authorize: () => 'neema', reveal: true, ...o })
  const ask: PageUnderTest['ask'] = async (path, init = {}) => {
    const answer = await page.fetch(new Request(new URL(path, HOST), init))
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json')
    return { status: answer.status, body: isJson ? JSON.parse(text) : undefined, headers: answer.headers, text }
  }
  const expectOk = ({ status, body }: { status: number; body: unknown }) => {
    if (status !== 200) throw Object.assign(new Error(`${status} ${JSON.stringify(body)}`), { status, body })
    return body as never
  }
  const post = async (path: string, body: unknown) => expectOk(await ask(path, posted(body)))
  return { ask, get: async (path) => expectOk(await ask(path)), post, act: (act) => post('api/act', act) }
}

/** A post as the page itself makes it. */
export function posted(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-switchhook-admin': '1', ...headers },
    body: JSON.stringify(body),
  }
}

/** A message whose handlers failed for good; the delivery's seq. */
export async function dead(store: Store, given: { customer?: string; text?: string; reason?: string } = {}) {
  const { customer = CANARY.customer, text = CANARY.text, reason = `Error: no [text] for ${customer}` } = given
  const facts = JSON.stringify({ values: { customer, text, name: CANARY.name, kind: 'text' }, sure: [] })
  const seq = await arrive(store, [item({ customer, lane: `default/${customer}`, facts })])
  const { fence, item: begun } = await begin(store)
  const failure = { attempt: 1, route: 'hears:price', frames: [`at price (/app/bot.js:12:7)`] }
  await store.settleItem(fence, begun.id, { as: 'dead', reason, failure }, { now: T0, goOn: false })
  return seq
}

/** A delivery of which nothing could be read. */
export async function quarantined(store: Store) {
  const one = delivery({ text: `${CANARY.text} ${CANARY.customer}` })
  const seq = await seqOf(store, one)
  const note = `ingest_failed: ${CANARY.text} is no name`
  await store.ingest(seq, { state: 'quarantined', note, items: [], windows: [], statuses: [] }, T0)
  return { seq, id: one.deliveryId ?? '' }
}
