import { describe, expect, it } from 'vitest'
import { lockText, parseLock, type PayloadLock } from '../../src/payload/index.ts'
import { makeLock } from '../../src/payload/make-lock.ts'
import { sightingsIn } from '../../src/payload/sightings.ts'
import vectors from '../vectors/payloads.json' with { type: 'json' }
import { bytesOf, message } from './reading.ts'

const EVENT = 'message.received'
const FILE = 'payload.lock.json'

const lockOf = (
  bodies: readonly unknown[],
  ...more: Parameters<typeof makeLock> extends [unknown, ...infer R] ? R : never
) => makeLock(sightingsIn(bodies.map((body) => ({ event: EVENT, body: bytesOf(body) }))), ...more)

const error = (text: string): unknown => {
  try {
    return parseLock(text, FILE)
  } catch (thrown) {
    return thrown
  }
}

describe('a lock', () => {
  it('has the facts of each event with their paths and types, and the shapes that were seen [R EVT-08]', () => {
    const { lock, doubts } = lockOf([message()])
    expect(doubts).toEqual([])
    expect(lock.events[EVENT]?.facts).toEqual({
      customer: ['data.from:string'],
      messageId: ['data.id:string'],
      kind: ['data.message_type:string'],
      text: ['data.content:string'],
      at: ['data.timestamp:number'],
    })
    expect(Object.values(lock.events[EVENT]?.shapes ?? {})).toEqual([
      [
        'data.content:string',
        'data.from:string',
        'data.id:string',
        'data.message_type:string',
        'data.timestamp:number',
        'data:object',
        'event:string',
      ],
    ])
  })

  it('is the same text whatever the order of the deliveries, and comes back as it went [R EVT-08]', () => {
    const bodies = vectors.payloads.filter(({ event }) => event === EVENT).map(({ body }) => body)
    const { lock } = lockOf(bodies)
    const text = lockText(lock)
    expect(lockText(lockOf(bodies.toReversed()).lock)).toBe(text)
    expect(lockText(parseLock(text, FILE))).toBe(text)
    expect(text).toMatch(/^\{\n {2}"version": 1,\n/)
  })

  it('has no value in it, and no name that is one [R EVT-08]', () => {
    const canaries = ['255712000777', 'Canary Text', 'wamid.CANARY', 'canary@example.test', 'Asha_Canary']
    const [phone = '', ...others] = canaries
    const body = {
      data: {
        ...message({ from: phone, content: 'Canary Text', wa_message_id: 'wamid.CANARY' }).data,
        [phone]: { name: 'Asha_Canary' },
      },
    }
    const made = lockOf([{ ...body, 'canary@example.test': others }])
    for (const canary of canaries) expect(lockText(made.lock) + JSON.stringify(made.doubts)).not.toContain(canary)
  })

  it('leaves out what is in doubt, and says how often it was [R EVT-08]', () => {
    const doubtful = message({ customer: { phone: '255712000999' } })
    const { lock, doubts } = lockOf([message(), message(), doubtful])
    expect(lock.events[EVENT]?.facts.customer).toBeUndefined()
    expect(doubts).toEqual([{ event: EVENT, fact: 'customer', found: [{ path: 'data.from', seen: 3, unsure: 1 }] }])
  })

  it('has of a fact what a person chose, or leaves it to guessing; a place that no delivery has is told [R EVT-08]', () => {
    const doubtful = message({ customer: { phone: '255712000999' } })
    const choose = (...paths: string[]) => lockOf([doubtful], [{ event: EVENT, fact: 'customer', paths }])
    expect(choose('data.customer.phone').lock.events[EVENT]?.facts.customer).toEqual(['data.customer.phone:string'])
    expect(choose().lock.events[EVENT]?.facts.customer).toBeUndefined()
    expect(choose().doubts).toEqual([])
    expect(choose('data.gone').unseen).toEqual([{ event: EVENT, fact: 'customer', path: 'data.gone' }])
  })

  it('is read with the line ends and the byte order mark of another system, and with names that look like more names [R EVT-08]', () => {
    const { lock } = lockOf([message({ 'a":': 1, 'b\\"': 'c":', 'd": {': '"' })])
    expect(parseLock(`\ufeff${lockText(lock).replaceAll('\n', '\r\n')}`, FILE)).toEqual({ events: lock.events })
  })

  it('is refused in words if it is nested so deep, or has so long a text, that it could not be walked [R EVT-08]', () => {
    const within = (events: string) => `{"version":1,"events":{"message.received":${events}}}`
    for (const text of [within(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), within(`"${'x'.repeat(20_000_000)}"`)])
      expect(() => parseLock(text, FILE)).toThrow(expect.objectContaining({ code: 'lock_invalid' }))
  })

  it('is not made of what is not handled: no object, another event’s, too large a shape [R EVT-08]', () => {
    const large = {
      data: {
        ...message().data,
        more: Object.fromEntries(
          Array.from({ length: 500 }, (_, i) => [`a${'bcdefghijk'[i % 10]}${'xyz'[i % 3]}${'q'.repeat(i % 40)}`, i]),
        ),
      },
    }
    const seen = sightingsIn([
      { event: EVENT, body: bytesOf('no JSON') },
      { event: EVENT, body: bytesOf({ ...message(), event: 'message.status' }) },
      { event: EVENT, body: bytesOf(large) },
    ])
    expect(seen.get(EVENT)).toMatchObject({ payloads: 1, tooLarge: 1 })
    expect(makeLock(seen, []).lock.events).toEqual({})
  })
})

describe('a lock that is damaged', () => {
  const lock: PayloadLock = lockOf([message()]).lock
  const changed = (
    change: (json: { version: unknown; events: Record<string, { facts: object; shapes: object }> }) => void,
  ) => {
    const json = JSON.parse(lockText(lock)) as Parameters<typeof change>[0]
    change(json)
    return JSON.stringify(json)
  }

  it.each<[string, string, RegExp]>([
    ['is no JSON', '<<<<<<< HEAD\n{}', /damaged: it is no JSON object/],
    ['has no version', '{"events":{}}', /its version is missing, and this release reads version 1/],
    [
      'is of another version',
      changed((json) => (json.version = 2)),
      /its version is 2, and this release reads version 1/,
    ],
    ['lacks its events', '{"version":1}', /it has no events/],
    ['has no event', '{"version":1,"events":{}}', /it has no events/],
    [
      'has an event without facts',
      changed(({ events }) => Object.assign(events[EVENT] ?? {}, { facts: {} })),
      /lacks its facts or its shapes/,
    ],
    [
      'names a fact twice, after a merge',
      lockText(lock).replace('"facts": {', '"facts": {"customer" : ["data.id:string"],'),
      /a name comes twice in it/,
    ],
    [
      'names an event twice, after a merge',
      lockText(lock).replace('"events": {', `"events": {"${EVENT}": {"facts": {}, "shapes": {}},`),
      /a name comes twice in it/,
    ],
    [
      'lacks its shapes',
      changed(({ events }) => Reflect.deleteProperty(events[EVENT] ?? {}, 'shapes')),
      /lacks its facts or its shapes/,
    ],
    [
      'locks what is no fact',
      changed(({ events }) => Object.assign(events[EVENT]?.facts ?? {}, { who: ['a:string'] })),
      /locks who, which is no fact/,
    ],
    [
      'names a place without a type',
      changed(({ events }) => Object.assign(events[EVENT]?.facts ?? {}, { text: ['data.content'] })),
      /message\.received\.text has no list of places/,
    ],
    [
      'names a place that no shape has',
      changed(({ events }) => Object.assign(events[EVENT]?.facts ?? {}, { text: ['data.x:string'] })),
      /text is at data\.x:string, which none of its shapes has/,
    ],
    [
      'has another place than when it was written, in the fact and in the shape',
      lockText(lock).replaceAll('data.from:string', 'data.to:string'),
      /the shape \w+ of message\.received has other places than when it was written/,
    ],
    [
      'has a shape that is no list',
      changed(({ events }) => Object.assign(events[EVENT]?.shapes ?? {}, { bcd: 'x' })),
      /the shape bcd of message\.received is no list/,
    ],
  ])('%s: the error names the file, the fault and what to do [R EVT-08]', (_, text, message) => {
    expect(error(text)).toMatchObject({ code: 'lock_invalid', message: expect.stringMatching(message) })
    expect(error(text)).toMatchObject({
      message: expect.stringMatching(/^payload\.lock\.json .*switchhook payload lock/),
    })
  })
})
