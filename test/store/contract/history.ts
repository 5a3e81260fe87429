import { expect, it } from 'vitest'
import { arrive, attempting, begin, handle } from '../acts.ts'
import { ASHA, beginning, DAY, DONE, item, JUMA, LEASE_MS, send, T0, WHO } from '../samples.ts'
import type { Stage } from './index.ts'
import { pruneAll } from './prune.ts'
import type { NewSend } from '../../../src/store/outbox/rows.ts'
import type { NewItem } from '../../../src/store/work/items.ts'
import type { Fence } from '../../../src/store/work/lanes.ts'

const saying = (text: string) => ({ facts: JSON.stringify({ values: { text }, sure: [] }) })

/** A conversation between a customer and the bot, read when somebody asks. */
export function histories(at: Stage): void {
  const receives = async (given: Partial<NewItem>, now = T0) => {
    await arrive(at.store, [item(given)], now)
    await handle(at.store, DONE, { now })
  }
  const accept = async (fence: Fence | undefined, { id }: NewSend, now = T0) => {
    if (!fence) throw new Error('the send has not begun')
    const accepted = { as: 'accepted', messageId: id, upstreamId: undefined, possiblyTwice: false } as const
    await at.store.settleSend(fence, id, accepted, { now, goOn: false })
  }
  const sends = async (given: Partial<NewSend>, now = T0) => {
    const one = send(given)
    await accept(await attempting(at.store, one, { now }), one, now)
  }
  const texts = async (last = 10, who = WHO) => {
    const { received, sent } = await at.store.history(who, last)
    return {
      received: received.map(({ facts }) => facts && JSON.parse(facts).values.text),
      sent: sent.map(({ body }) => JSON.parse(body).text ?? JSON.parse(body).template_name),
    }
  }

  it('shows what one customer and the bot said on one number, the newest first, and no more than is asked for', async () => {
    for (const [index, text] of ['one', 'two', 'three'].entries()) {
      await receives(saying(text), T0 + index)
      await sends({ body: JSON.stringify({ text: `re ${text}` }) }, T0 + index)
    }
    await receives({ ...saying('another person'), customer: JUMA })
    await receives({ ...saying('another number'), number: 'other', lane: `other/${ASHA}` })
    await sends({ customer: JUMA })
    expect(await texts(2)).toEqual({ received: ['three', 'two'], sent: ['re three', 're two'] })
    expect((await texts()).received).toEqual(['three', 'two', 'one'])
  })

  it('shows what nobody wrote in its place, and counts it among the latest', async () => {
    await receives(saying('one'))
    await receives({ ...saying('👍'), kind: 'signal' }, T0 + 1)
    await receives(saying('two'), T0 + 2)
    await receives({ ...saying('edited'), kind: 'signal' }, T0 + 3)
    expect((await texts()).received).toEqual(['edited', 'two', '👍', 'one'])
    expect((await texts(2)).received).toEqual(['edited', 'two'])
    const { deliveries } = await at.store.latestOf(WHO, 3)
    expect(deliveries).toHaveLength(3)
    await receives({ ...saying('a call'), kind: 'signal', number: 'other', lane: `other/${ASHA}` })
    expect(await at.store.numbersOf(ASHA)).toEqual(['default', 'other'])
  })

  it('shows a message from its first attempt on, and none that waits for its turn', async () => {
    await arrive(at.store, [item(saying('first')), item({ ...saying('second'), idx: 1, at: T0 + 1 })])
    expect((await texts()).received).toEqual([])
    await begin(at.store)
    expect((await texts()).received).toEqual(['first'])
  })

  it('shows sends that the service took alone, the template where that went out, and never a one-time code [R OTP-06]', async () => {
    await sends({ body: '{"text":"taken"}' })
    const marketing = { at: T0, anyNumber: false }
    const fellBack = send({
      marketing,
      body: '{"text":"no"}',
      fallback: { key: 'f', body: '{"template_name":"news"}' },
    })
    const opened = await at.store.openSend(fellBack, { begin: beginning() })
    await accept(opened?.begun?.fence, fellBack, T0 + 1)
    const code = send({ body: '{"text":"[code withheld]"}', via: 'template', lane: 'code/c1' })
    const lease = { processName: 'one', leaseMs: LEASE_MS, now: T0 }
    const begun = await at.store.openCode(code, [code.key], lease)
    await accept(begun && 'fence' in begun ? begun.fence : undefined, code, T0 + 2)
    await at.store.openSend(send({ body: '{"text":"waits"}' }))
    expect((await texts()).sent).toEqual(['news', 'taken'])
  })

  it('keeps the place of a message whose text was wiped by age, and drops it with its row', async () => {
    await receives(saying('old'))
    await pruneAll(at.store, { now: T0 + 8 * DAY })
    expect((await texts()).received).toEqual([undefined])
    await pruneAll(at.store, { now: T0 + 31 * DAY })
    expect((await texts()).received).toEqual([])
  })

  it('shows nothing of a customer who was forgotten, though nothing is erased yet, and all that comes after', async () => {
    await receives(saying('before'))
    await sends({})
    await at.store.forget(WHO, T0)
    expect(await texts()).toEqual({ received: [], sent: [] })
    await receives(saying('after'))
    await sends({ body: '{"text":"re after"}' })
    expect(await texts()).toEqual({ received: ['after'], sent: ['re after'] })
  })
}
