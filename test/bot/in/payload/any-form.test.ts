import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Facts, View } from '../../../../src/bot/in/payload/facts.ts'
import { readBody } from '../../../../src/bot/in/payload/read.ts'
import { bytesOf, NOW } from './reading.ts'

interface Vector {
  readonly name: string
  readonly event: string
  readonly body: string
  readonly want: { readonly absent?: readonly string[]; readonly alarm?: string; readonly [fact: string]: unknown }
}

const file = new URL('../../../vectors/payloads.json', import.meta.url)
const vectors = (JSON.parse(readFileSync(file, 'utf8')) as { payloads: Vector[] }).payloads.filter(
  ({ want }) => want.alarm === undefined,
)

type Json = { [member: string]: unknown }

const camel = (key: string) => key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const snake = (key: string) => key.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
const SPELLINGS = [(key: string) => key, camel, snake, (key: string) => snake(key).replaceAll('_', '-')]

function respelt(value: unknown, spell: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => respelt(one, spell))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [spell(key), respelt(one, spell)]))
}

/** Members that no table names, with values that look like facts. */
const unknowns = fc.dictionary(
  fc.stringMatching(/^x_[a-z]{1,8}$/),
  fc.oneof(
    fc.constantFrom('255700000999', 'US.1349', 'wamid.OTHER', 'message.received', 1772615999, null, true, 'Habari'),
    fc.array(fc.constantFrom('255700000999', 1), { maxLength: 2 }),
  ),
  { maxKeys: 4 },
)

/** Envelopes that services put around a payload. */
const WRAPPERS: Readonly<Record<string, (body: Json) => Json>> = {
  none: (body) => body,
  data: (data) => ({ data }),
  payload: (payload) => ({ id: 'evt_9', payload }),
  'data.object': (object) => ({ created_at: '2026-03-04T09:16:00Z', data: { object } }),
  'a text': (body) => ({ data: JSON.stringify(body) }),
}

const MEANT = [
  'customer',
  'userId',
  'messageId',
  'upstreamId',
  'kind',
  'text',
  'at',
  'status',
  'failureReason',
] as const

/** The facts that a vector says, with `tapped` and `media` as their id and url. */
function meant({ want }: Vector): Map<string, unknown> {
  const facts = MEANT.flatMap((name): [string, unknown][] => {
    const value = name === 'at' && want[name] !== undefined ? Date.parse(want[name] as string) : want[name]
    return value === undefined ? [] : [[name, value]]
  })
  const { tapped, media } = want as { tapped?: { id: string }; media?: { url: string } }
  return new Map([...facts, ['tapped', tapped?.id], ['media', media?.url]])
}

function found(facts: Facts, name: string): unknown {
  if (name === 'tapped') return facts.tapped?.value.id
  return name === 'media' ? facts.media?.value.url : facts[name as 'text']?.value
}

/** The facts of a view that are not as they were meant. */
function wrong(vector: Vector, { facts }: View): string[] {
  return [...meant(vector)].flatMap(([name, value]) => (found(facts, name) === value ? [] : [`${vector.name} ${name}`]))
}

function read(event: string, body: Json): readonly View[] {
  const reading = readBody(bytesOf(body), { event, deliveryId: undefined, now: NOW })
  if ('views' in reading) return reading.views
  throw new Error(`refused: ${reading.refused.code}`)
}

describe('any known shape', () => {
  const form = fc.record({
    vector: fc.constantFrom(...vectors),
    spell: fc.constantFrom(...SPELLINGS),
    wrap: fc.constantFrom(...Object.keys(WRAPPERS)),
    more: unknowns,
  })

  it('has the same facts, however it is spelt and wrapped, and with unknown members [R EVT-02]', () => {
    fc.assert(
      fc.property(form, ({ vector, spell, wrap, more }) => {
        const body = respelt(JSON.parse(vector.body), spell) as Json
        const views = read(vector.event, (WRAPPERS[wrap] as (body: Json) => Json)({ ...more, ...body }))
        expect(views).toHaveLength(1)
        expect(wrong(vector, views[0] as View)).toEqual([])
      }),
      { numRuns: 600 },
    )
  })

  it('has the same facts as one of a batch, in its place [R EVT-02]', () => {
    const one = fc.constantFrom(...vectors)
    const pair = fc.tuple(one, one).filter(([a, b]) => a.event === b.event)
    fc.assert(
      fc.property(pair, fc.constantFrom('messages', 'items', 'results'), ([one, two], list) => {
        const views = read(one.event, { [list]: [one, two].map(({ body }) => JSON.parse(body) as Json) })
        expect(views).toHaveLength(2)
        for (const [index, vector] of [one, two].entries()) expect(wrong(vector, views[index] as View)).toEqual([])
      }),
    )
  })
})
