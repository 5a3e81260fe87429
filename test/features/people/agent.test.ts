import { describe, expect, it } from 'vitest'
import { readDelivery } from '../../../src/bot/inbox/read-delivery.ts'
import { agentAt, asksForAgent, silencing } from '../../../src/features/people/take-over.ts'
import { takenOverIn } from '../../../src/features/people/store/taken-over.ts'

const HOUR = 3_600_000
const last = Date.UTC(2026, 2, 4, 9, 15, 21)
const CUSTOMER = '255712000101'

describe('the service’s own agent', () => {
  it('is requested only by BOT, in any case and with space around it [B GEN-07]', () => {
    for (const text of ['BOT', 'bot', ' Bot\n', 'boT ']) expect(asksForAgent(text)).toBe(true)
    for (const text of ['robot', 'BOT please', 'b o t', '', undefined]) expect(asksForAgent(text)).toBe(false)
  })
})

it('leaves no customer to the agent whom the payload does not name for certain, because a guess would silence a stranger [B GEN-07]', () => {
  const bot = { id: 'm', from: CUSTOMER, content: 'BOT' }
  expect(silencesOf(bot)).toMatchObject([{ customer: CUSTOMER, by: 'agent' }])
  expect(silencesOf({ ...bot, customer: { phone: '255712000102' } })).toEqual([])
})

it('the service’s own agent is active if the customer requested it and nothing was sent since, else unknown [B GEN-06]', () => {
  const silence = takenOverIn({
    taken_by: 'agent',
    taken_since: last,
    taken_until: last + 24 * HOUR,
    taken_cause: null,
  })
  const agent = (lastSentAt?: number) => agentAt({ silence, lastSentAt }, last + HOUR)
  expect(agent()).toEqual({ state: 'active', asked: true })
  expect(agent(last - 1)).toEqual({ state: 'active', asked: true })
  expect(agent(last + 1)).toEqual({ state: 'unknown', asked: true })
  expect(agentAt({ silence: undefined, lastSentAt: undefined }, last)).toEqual({ state: 'unknown', asked: false })
})

function silencesOf(data: object) {
  const body = Buffer.from(JSON.stringify({ event: 'message.received', data }))
  const delivery = {
    subscription: 'shop',
    deliveryId: '01J00000000000000000000000',
    event: 'message.received',
    timestamp: last / 1_000,
    digest: new Uint8Array(32),
    body,
    receivedAt: last,
    clockOffset: 0,
  }
  return readDelivery(delivery, {
    numbersOf: () => [{ name: 'shop', phoneNumberId: undefined }],
    listens: () => true,
    silenceAskedBy: silencing.askedBy,
  }).ingested.silences
}
