import { describe, expect, it } from 'vitest'
import type { CustomerName, DeliverySummary } from '../../src/admin/api.ts'
import type { ConversationSummary } from '../../src/features/conversations/conversation-api.ts'
import type { Page } from '../../src/admin/requests.ts'
import { arrive, attempting, begin } from '../store/acts.ts'
import { ACCEPTED, ASHA, delivery, idOf, ingested, item, JUMA, NEEMA, send, T0 } from '../store/samples.ts'
import { NEWS } from '../store/announced.ts'
import { CANARY, posted, useStage } from './stage.ts'

const HOUR = 3_600_000
const NEXT = { now: T0, goOn: false }

describe('a person limited to some numbers', () => {
  const at = useStage()
  const limited = () => at.page({ authorize: () => ({ name: 'neema', write: true, numbers: ['default'] }) })

  async function conversation(number: string, customer: string, id: string) {
    const who = { number, customer }
    await arrive(at.store, [item({ ...who, lane: `${number}/${customer}` })])
    const { fence, item: begun } = await begin(at.store)
    const waits = { step: 0, for: 'answer' as const, since: T0, dueAt: T0 + HOUR }
    const opens = { ...who, id, name: 'booking', version: 1, input: undefined }
    const conversations = [{ id, opens, steps: [], next: { waits } }]
    await at.store.settleItem(fence, begun.id, { as: 'done', changes: { conversations } }, NEXT)
  }

  it('gets one answer for what another number has and for what does not exist, from every view and act', async () => {
    const lane = `branch/${ASHA}`
    const theirs = await arrive(at.store, [item({ number: 'branch', customer: ASHA, lane })])
    const { fence, item: begun } = await begin(at.store)
    await at.store.settleItem(fence, begun.id, { as: 'dead', reason: 'x' }, NEXT)
    const one = send({ number: 'branch', lane: `${lane}/out`, dueAt: T0 + HOUR })
    await at.store.openSend(one)
    const move = { stopped: true, closedUntil: T0 + HOUR, inARow: 1, code: 'no_plan', reason: 'no' }
    const held = send({ number: 'branch', lane: `${lane}/out` })
    const postponed = { as: 'postponed', code: 'no_plan', reason: 'no' } as const
    await at.store.settleSend(await attempting(at.store, held), held.id, postponed, NEXT, { number: 'branch', move })
    await conversation('branch', JUMA, 'c_theirs')
    const own = await arrive(at.store, [item()])
    const { announcement } = await at.store.openAnnouncement({ ...NEWS, number: 'branch' })
    const page = limited()
    const answers = async (ask: (which: 'theirs' | 'missing') => ReturnType<typeof page.ask>) => {
      const [there, missing] = [await ask('theirs'), await ask('missing')]
      return [there.status, there.text, missing.status, missing.text]
    }
    const views = {
      theirs: [`deliveries/${theirs}`, `sends/${one.id}`, 'deliveries?number=branch', 'sends?number=branch'],
      missing: ['deliveries/999', 'sends/no-such', 'deliveries?number=nobody', 'sends?number=nobody'],
    }
    const acts = {
      theirs: [
        { act: 'retry', deliveries: [own, theirs] },
        { act: 'retry', deliveries: [theirs] },
        { act: 'resolve', send: one.id, as: 'drop' },
        { act: 'cancel', send: one.id },
        { act: 'resume', number: 'branch' },
        { act: 'end_conversation', conversation: 'c_theirs' },
        { act: 'announcement', announcement: announcement.id, to: 'paused' },
        { act: 'retry', filter: { states: ['dead'], number: 'branch' }, token: 'x' },
      ],
      missing: [
        { act: 'retry', deliveries: [own, 999] },
        { act: 'retry', deliveries: [999] },
        { act: 'resolve', send: 'no-such', as: 'drop' },
        { act: 'cancel', send: 'no-such' },
        { act: 'resume', number: 'nobody' },
        { act: 'end_conversation', conversation: 'c_missing' },
        { act: 'announcement', announcement: 999, to: 'paused' },
        { act: 'retry', filter: { states: ['dead'], number: 'nobody' }, token: 'x' },
      ],
    }
    const seen = new Set<unknown>()
    for (const nth of views.theirs.keys())
      for (const path of ['view', 'reveal']) {
        const answered = await answers((which) => {
          const view = `api/${views[which][nth]}`
          return path === 'view' ? page.ask(view) : page.ask('api/reveal', posted({ view }))
        })
        expect(answered.slice(0, 2), views.theirs[nth]).toEqual(answered.slice(2))
        seen.add(answered[1])
      }
    for (const nth of acts.theirs.keys()) {
      const answered = await answers((which) => page.ask('api/act', posted(acts[which][nth])))
      expect(answered.slice(0, 2), JSON.stringify(acts.theirs[nth])).toEqual(answered.slice(2))
      seen.add(answered[1])
    }
    for (const number of ['branch', 'nobody'])
      seen.add((await page.ask('api/preview', posted({ filter: { states: ['dead'], number } }))).text)
    expect([...seen].map((text) => JSON.parse(String(text)) as unknown)).toEqual([
      { error: 'not_found', message: expect.stringMatching(/you may see default\.$/) },
    ])
  })

  it('does not learn by a search which ids another number has', async () => {
    const id = idOf(123_456)
    await at.store.accept(delivery({ deliveryId: id }), { ingested: ingested(item({ number: 'branch' })) })
    const blind = at.page({ reveal: false, authorize: () => ({ name: 'neema', numbers: ['default'] }) })
    const answer = async (text: string) => blind.ask('api/search', posted({ text }))
    expect((await answer(id)).text).toBe((await answer(idOf(123_457))).text)
  })

  it('finds their own message by its id, though another number has a message of that id', async () => {
    for (const number of ['branch', 'default', 'other']) {
      const one = send({ number, lane: `${number}/${ASHA}/out` })
      await at.store.settleSend(await attempting(at.store, one), one.id, ACCEPTED, NEXT)
    }
    for (const number of ['branch', 'default', 'other']) {
      const page = at.page({ authorize: () => ({ name: 'neema', numbers: [number] }) })
      expect(await page.post('api/search', { text: 'm1' })).toMatchObject({ sends: [{ number }] })
    }
  })

  it('is not shown the names of other numbers that share a subscription', async () => {
    await at.store.accept(delivery({ subscription: 'branch+default' }), { ingested: ingested(item()) })
    const page = limited()
    const { rows } = await page.get<Page<DeliverySummary>>('api/deliveries')
    expect(rows).toMatchObject([{ subscription: 'default' }])
    const handle = rows[0]?.items[0]?.handle
    for (const view of [`deliveries/${rows[0]?.seq}`, `customers/${handle}`])
      expect((await page.ask(`api/${view}`)).text, view).not.toContain('branch')
    expect((await page.ask('api/search', posted({ text: String(rows[0]?.seq) }))).text).not.toContain('branch')
    expect((await at.page().ask('api/deliveries')).text).toContain('branch+default')
  })

  it('does not learn from the order of a list, nor from its cursor, whose masked number is the larger', async () => {
    for (const [customer, id] of [
      [NEEMA, 'c_1'],
      [ASHA, 'c_2'],
      [CANARY.customer, 'c_3'],
      [JUMA, 'c_4'],
    ] as const)
      await conversation('default', customer, id)
    const page = at.page()
    const found: string[] = []
    for (let next: string | undefined = ''; next !== undefined; ) {
      const after: string = next === '' ? '' : `&after=${encodeURIComponent(next)}`
      const got: Page<ConversationSummary> = await page.get(`api/conversations?limit=3${after}`)
      found.push(...got.rows.map(({ id }) => id))
      next = got.next
    }
    expect(found).toEqual(['c_1', 'c_2', 'c_3', 'c_4'])
    // The name of a customer is no cursor.
    const { rows } = await page.get<Page<CustomerName>>('api/conversations')
    for (const { handle } of rows) expect((await page.ask(`api/conversations?after=${handle}`)).status).toBe(400)
  })
})
