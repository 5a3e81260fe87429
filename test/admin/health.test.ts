import { describe, expect, it } from 'vitest'
import { changedSince, type Look } from '../../src/admin/views/health.ts'

type Newest = Look['glance']['newest']

function look(o: { newest?: Partial<Newest>; items?: number } = {}): Look {
  const { newest, items = 0 } = o
  const sends = { scheduled: 0, held: 0, unknown: 0 }
  const resting = { dead: 0, parked: 0, quarantined: 0, conflict: 0, suspected_replay: 0 }
  const glance = {
    newest: { deliveries: 7, sends: 7, acts: 7, ...newest },
    resting,
    sends,
    conversations: 3,
    timers: 3,
  }
  const waiting = { deliveries: 0, items, sends: 0 }
  return { glance, health: { waiting, throttled: [] } as unknown as Look['health'] }
}

describe('a look at the bot tells that conversations and timers may have changed', () => {
  it.each<[string, Look, Look]>([
    ['a message came, which may be an answer', look(), look({ newest: { deliveries: 8 } })],
    ['a message was handled that waited', look({ items: 1 }), look()],
    ['a person ended one while another was opened', look(), look({ newest: { acts: 8 } })],
  ])('if %s', (_, before, after) => {
    expect(changedSince(before, after)).toEqual(expect.arrayContaining(['conversations', 'timers']))
  })

  it('and that nothing has if all is as it was', () => {
    expect(changedSince(look(), look())).toEqual([])
  })
})
