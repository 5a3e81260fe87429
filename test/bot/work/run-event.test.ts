import { describe, expect, it } from 'vitest'
import { Effects, type RunningAttempt } from '../../../src/bot/work/running-attempt.ts'
import { runEvent, sentBy, TooEarly } from '../../../src/bot/work/run-event.ts'

const T0 = Date.UTC(2026, 2, 4, 9)
const MINUTE = 60_000

interface Situation {
  /** Milliseconds since the event came. */
  age?: number
  attempting?: boolean
  unknown?: boolean
  lastSentAt?: number
  customer?: string | undefined
  values?: { messageId?: string; upstreamId?: string }
}

function ask({ age = 30_000, attempting = false, unknown = false, lastSentAt, values, ...rest }: Situation) {
  const customer = 'customer' in rest ? rest.customer : '255712000101'
  const running = {
    item: { number: 'default', customer, createdAt: T0 },
    facts: { values: values ?? { messageId: 'm' } },
  }
  const deps = {
    clock: { wall: () => T0 + age, service: () => T0 + age },
    store: {
      findSend: async () => undefined,
      underWay: async () => ({ attempting, unknown }),
      customerOf: async () => ({ lastSentAt }),
    },
  }
  return sentBy({ ...running, deps } as unknown as RunningAttempt)
}

describe('a message.sent that names none of the bot’s sends', () => {
  it('is judged at once if nothing of the bot is under way for its customer', async () => {
    expect(await ask({ age: 0 })).toBe('other')
    // The clock went back since the item was stored.
    expect(await ask({ age: -7_200_000 })).toBe('other')
  })

  it('waits while a send to its customer is under way', async () => {
    await expect(ask({ age: 5 * MINUTE, attempting: true })).rejects.toThrow(TooEarly)
  })

  it('is unclear while the outcome of a send to its customer is unknown', async () => {
    expect(await ask({ unknown: true })).toBe('unclear')
  })

  it('is unclear if it names neither message nor customer', async () => {
    expect(await ask({ values: {} })).toBe('unclear')
    expect(await ask({ customer: undefined })).toBe('unclear')
  })

  it('is unclear if it has the upstream platform’s id alone, and a send may not know its own yet', async () => {
    const values = { upstreamId: 'wamid.1' }
    expect(await ask({ values, lastSentAt: T0 })).toBe('unclear')
    expect(await ask({ values, lastSentAt: T0 - 10 * MINUTE })).toBe('other')
    expect(await ask({ values })).toBe('other')
    expect(await ask({ values: { ...values, messageId: 'm' }, lastSentAt: T0 })).toBe('other')
  })
})

describe('a report that a message was read', () => {
  const told = async (o: { isEarly?: boolean; before?: readonly string[] } = {}) => {
    const heard: string[] = []
    const route = (status: string) => ({
      id: `on:message.status:${status}`,
      event: 'message.status',
      status,
      boundaries: [],
      handler: () => void heard.push(status),
    })
    const running = {
      item: { id: 1, kind: 'status', number: 'default', createdAt: T0, delivery: { event: 'message.status' } },
      facts: { values: { status: 'read', messageId: 'm' } },
      clock: { check: () => {} },
      keepLease: () => true,
      effects: new Effects(),
      completedHandlers: [],
      boundaries: [],
    }
    const deps = {
      clock: { wall: () => T0, service: () => T0 },
      limits: { max: 3 },
      routes: { events: ['sent', 'delivered', 'read', 'played'].map(route) },
      store: {
        statusForHandlers: async (_: unknown, __: unknown, reached: readonly string[]) =>
          o.isEarly ? undefined : { reports: reached.filter((status) => !o.before?.includes(status)) },
      },
    }
    const ran = await runEvent({ ...running, deps } as unknown as RunningAttempt)
    return { ran, heard }
  }

  it('tells the handlers of all that it implies, though no other report ever came, and of nothing beyond [R EVT-04]', async () => {
    expect(await told()).toEqual({ ran: 'handled', heard: ['sent', 'delivered', 'read'] })
  })

  it('tells no handler again what an earlier report told it [R EVT-04]', async () => {
    expect((await told({ before: ['sent', 'delivered'] })).heard).toEqual(['read'])
  })

  it('waits if it is too early to tell which send it is about [R EVT-04]', async () => {
    expect(await told({ isEarly: true })).toEqual({ ran: { afterMs: 200 }, heard: [] })
  })
})
