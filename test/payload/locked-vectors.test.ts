import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Facts, View } from '../../src/payload/index.ts'
import { lockedViews, lockOf } from './locking.ts'
import { refusalOf, views } from './reading.ts'

interface Negative {
  readonly name: string
  readonly event: string
  readonly body: string
  readonly refused?: string
  readonly absent?: readonly (keyof Facts)[]
  readonly unsure?: readonly (keyof Facts)[]
}

interface Known {
  readonly name: string
  readonly event: string
  readonly body: unknown
}

const read = <T>(name: string) =>
  (JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')) as { payloads: T[] }).payloads

const negatives = read<Negative>('negatives')
const services = read<{ service: string; form: string; event: string; payload: unknown }>('services')
const known: Known[] = [
  ...services.map(({ service, form, event, payload }) => ({ name: `${service}, ${form}`, event, body: payload })),
  ...read<Known>('payloads'),
].filter(({ event, body }) => refusalOf(typeof body === 'string' ? body : JSON.stringify(body), event) === undefined)

const valueIn = ({ facts }: View, fact: string) => facts[fact as keyof Facts]?.value

describe('a payload of a known form', () => {
  it.each(known)('is read under its own lock as it was guessed: $name [R EVT-08]', ({ event, body }) => {
    const lock = lockOf(event, [body])
    const guessed = views(event, body)
    for (const [index, view] of lockedViews(lock, event, body).entries()) {
      expect(view.broken).toBeUndefined()
      for (const [fact, { value, how }] of Object.entries(guessed[index]?.facts ?? {})) {
        expect(valueIn(view, fact)).toEqual(value)
        if (how === 'guessed' && lock.locks(event, fact)) expect(view.facts[fact as keyof Facts]?.how).toBe('locked')
      }
    }
  })

  it.each(known)('under any other form’s lock breaks it, or says what it says: $name [R EVT-08]', ({ event, body }) => {
    const guessed = views(event, body)
    for (const other of known.filter((one) => one.event === event)) {
      const locked = lockedViews(lockOf(event, [other.body]), event, body)
      for (const [index, view] of locked.entries())
        for (const [fact, { value, how }] of Object.entries(view.facts))
          if (how === 'locked')
            expect({ fact, value, under: other.name }).toMatchObject({
              value: valueIn(guessed[index] as View, fact) as object,
            })
    }
  })
})

describe('a payload that is odd', () => {
  const odd = negatives.filter(({ refused }) => refused === undefined)

  it.each(odd)(
    'is not misread under a lock that was made of it: $name [R EVT-08]',
    ({ event, body, absent = [], unsure = [] }) => {
      for (const { facts } of lockedViews(lockOf(event, [body]), event, body)) {
        for (const fact of absent) expect(facts[fact]).toBeUndefined()
        for (const fact of unsure) expect(facts[fact]?.sure).toBe(false)
      }
    },
  )

  it.each(odd)(
    'breaks the lock of each known form, or is no other person’s: $name [R EVT-08]',
    ({ event, body, absent = [] }) => {
      for (const one of known.filter((form) => form.event === event))
        for (const view of lockedViews(lockOf(event, [one.body]), event, body))
          if (!view.broken)
            for (const fact of absent)
              expect({ [fact]: view.facts[fact], under: one.name }).toEqual({ [fact]: undefined, under: one.name })
    },
  )
})
