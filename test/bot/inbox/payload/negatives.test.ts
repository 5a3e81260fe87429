import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Facts } from '../../../../src/bot/inbox/payload/facts.ts'
import { refusalOf, views } from './reading.ts'

interface Vector {
  readonly name: string
  readonly event: string
  readonly body: string
  readonly refused?: string
  readonly views?: number
  readonly alarms?: readonly string[]
  readonly facts?: { readonly [F in keyof Facts]?: unknown }
  readonly absent?: readonly (keyof Facts)[]
  readonly unsure?: readonly (keyof Facts)[]
}

const file = new URL('../../../vectors/negatives.json', import.meta.url)
const { payloads } = JSON.parse(readFileSync(file, 'utf8')) as { payloads: Vector[] }

describe('an odd payload', () => {
  for (const { name, event, body, refused, ...want } of payloads)
    it(`raises its alarm and is not misread: ${name} [R EVT-02]`, () => {
      if (refused !== undefined) {
        expect(refusalOf(body, event)).toEqual({ code: refused })
        return
      }
      const read = views(event, body)
      expect(read).toHaveLength(want.views ?? 1)
      for (const { facts, alarms } of read) {
        expect(alarms.map(({ code, fact }) => (fact === undefined ? code : `${code}:${fact}`))).toEqual(want.alarms)
        for (const [fact, value] of Object.entries(want.facts ?? {}))
          expect(facts[fact as keyof Facts]?.value).toBe(value)
        for (const fact of want.absent ?? []) expect(facts[fact]).toBeUndefined()
        for (const fact of want.unsure ?? []) expect(facts[fact]?.sure).toBe(false)
      }
    })
})
