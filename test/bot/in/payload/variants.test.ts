import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { View } from '../../../../src/bot/in/payload/facts.ts'
import vectors from '../../../vectors/payloads.json' with { type: 'json' }
import { viewOf, views } from './reading.ts'

type Json = Record<string, unknown>

const vector = fc.constantFrom(...vectors.payloads.filter(({ want }) => !('alarm' in want)))

const camel = (key: string) => key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const snake = (key: string) => key.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
const SPELLINGS = [(key: string) => key, camel, (key: string) => snake(key).replaceAll('_', '-'), snake] as const

function respelt(value: unknown, spell: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => respelt(each, spell))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [spell(key), respelt(each, spell)]))
}

/** Adds members, such as a later release of the service might, to the object that a path of indexes chooses. */
function extended(value: Json, added: Json, way: readonly number[]): Json {
  const inner = Object.entries(value).filter(
    ([, each]) => typeof each === 'object' && each !== null && !Array.isArray(each),
  )
  const [next, ...rest] = way
  const [key, child] = (next !== undefined && inner[next % Math.max(1, inner.length)]) || []
  return key === undefined ? { ...value, ...added } : { ...value, [key]: extended(child as Json, added, rest) }
}

const STRANGERS = [
  '255700000666',
  'TZ.13491208655302741918',
  'm-other',
  'wamid.OTHER',
  'Other text',
  1_772_000_000,
  '2026-01-01T00:00:00Z',
  null,
  '',
]
const NEW_MEMBERS =
  `experimental extra_info trace conversation contact sender recipient reply context locale phone wa_id user_id text body
  message status timestamp created_at id type media_url option_id external_id account`.split(/\s+/)
const member = fc.tuple(
  fc.constantFrom(...NEW_MEMBERS),
  fc.constantFrom<unknown>(...STRANGERS, { phone: '255700000666' }, { id: 'x' }),
)

const change = fc.record({
  spell: fc.constantFrom(...SPELLINGS),
  wrap: fc.array(fc.constantFrom('data', 'payload', 'body', 'record', 'unheard_of'), { maxLength: 2 }),
  added: fc.array(member, { maxLength: 2 }),
  way: fc.array(fc.nat(4), { maxLength: 3 }),
  dropped: fc.option(fc.nat(40), { nil: undefined }),
})

function changed(
  body: string,
  { spell, wrap, added, way, dropped }: typeof change extends fc.Arbitrary<infer T> ? T : never,
): Json {
  let json = respelt(JSON.parse(body), spell) as Json
  // A member that is there already is the service's own, and keeps its value.
  const fresh = added.filter(([key]) => !JSON.stringify(json).includes(`"${key}"`))
  json = extended(json, Object.fromEntries(fresh), way)
  if (dropped !== undefined) json = withoutLeaf(json, { left: dropped })
  for (const key of wrap) json = { [key]: json }
  return json
}

function withoutLeaf(value: Json, count: { left: number }): Json {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      if (typeof each === 'object' && each !== null && !Array.isArray(each))
        return [[key, withoutLeaf(each as Json, count)]]
      return count.left-- === 0 ? [] : [[key, each]]
    }),
  )
}

const facts = ({ facts: found }: View) => Object.entries(found)

describe('a changed payload of a known shape', () => {
  it('wrapped, in another spelling, with more members or without one, gives the same facts or an alarm [R EVT-02]', () => {
    fc.assert(
      fc.property(vector, change, ({ event, body }, how) => {
        const wanted = viewOf(event, body)
        const json = changed(body, { ...how, added: [] })
        for (const view of views(event, json)) {
          const missing = facts(wanted).filter(([name]) => !(name in view.facts))
          for (const [name, { value, sure }] of facts(view)) {
            const same = JSON.stringify(value) === JSON.stringify(wanted.facts[name as keyof View['facts']]?.value)
            if (!same && sure && how.dropped === undefined) expect({ name, json }).toBe('the same')
          }
          if (missing.length > 0 && how.dropped === undefined && !how.wrap.includes('unheard_of'))
            expect({ alarms: view.alarms, missing, json }).not.toMatchObject({ alarms: [] })
        }
      }),
      { numRuns: 600 },
    )
  })

  it('as two messages of a batch gives each its own facts [R EVT-02]', () => {
    fc.assert(
      fc.property(vector, fc.constantFrom('messages', 'data', 'items'), ({ event, body }, list) => {
        const one = JSON.parse(body) as Json
        const wanted = viewOf(event, body)
        const batch = { [list]: [one, one] }
        for (const view of views(event, batch)) {
          expect(view.alarms.map(({ code }) => code)).toContain('batch')
          for (const [name, { value, sure }] of facts(view))
            if (sure) expect(value, name).toEqual(wanted.facts[name as keyof View['facts']]?.value)
        }
      }),
      { numRuns: 200 },
    )
  })
})
