import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Facts } from '../../../../src/bot/inbox/payload/facts.ts'
import { readBody } from '../../../../src/bot/inbox/payload/read-body.ts'
import { bytesOf, NOW, viewOf } from './reading.ts'

interface Vector {
  readonly service: string
  readonly doc: string
  readonly form: string
  readonly event: string
  readonly payload: object
  readonly facts: { readonly [F in keyof Facts]?: unknown }
  readonly flagged: readonly string[]
  readonly refused?: string
}

const file = new URL('../../../vectors/services.json', import.meta.url)
const { payloads } = JSON.parse(readFileSync(file, 'utf8')) as { payloads: Vector[] }

/** An alarm about a message's kind is one about all that it says. */
const TOLD_BY: Readonly<Record<string, readonly string[]>> = { text: ['text', 'kind'], tapped: ['tapped', 'kind'] }

it('sixteen services and more are checked', () => {
  expect(new Set(payloads.map(({ service }) => service)).size).toBeGreaterThanOrEqual(16)
})

describe('a payload as a service documents it', () => {
  for (const { service, form, event, payload, facts, flagged, refused } of payloads)
    it(`is read correctly or flagged: ${service}, ${form} [R EVT-02]`, () => {
      if (refused !== undefined) {
        const context = { event, deliveryId: undefined, now: NOW }
        expect(readBody(bytesOf(payload), context)).toEqual({ refused: { code: refused } })
        return
      }
      const view = viewOf(event, payload)
      const alarmed = view.alarms.map(({ fact }) => fact ?? '')
      const wrong = Object.entries(facts).filter(([name, fact]) => !isRead(view.facts, name as keyof Facts, fact))
      expect(wrong.map(([name]) => name)).toEqual(flagged)
      for (const [name] of wrong) expect(alarmed).toEqual(expect.arrayContaining([somethingOf(alarmed, name)]))
      // A wrong customer gets somebody else's reply.
      if (view.facts.customer?.sure) expect(view.facts.customer.value).toBe(facts.customer)
    })
})

function isRead(found: Facts, name: keyof Facts, fact: unknown): boolean {
  const reading = found[name]
  // An id that is no phone number may be taken for one, and is then not sure.
  if (fact === null) return reading?.sure !== true
  const value = name === 'at' && reading ? new Date(reading.value as number).toISOString() : reading?.value
  return JSON.stringify(value) === JSON.stringify(fact)
}

function somethingOf(alarmed: readonly string[], name: string): string {
  return (TOLD_BY[name] ?? [name]).find((fact) => alarmed.includes(fact)) ?? `an alarm about ${name}`
}
