import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Facts } from '../../../../src/bot/inbox/payload/facts.ts'
import { refusalOf, viewOf } from './reading.ts'

interface Vector {
  name: string
  event: string
  note: string
  body: string
  want: { absent?: (keyof Facts)[]; alarm?: string; [fact: string]: unknown }
}

const file = new URL('../../../vectors/payloads.json', import.meta.url)
const vectors = (JSON.parse(readFileSync(file, 'utf8')) as { payloads: Vector[] }).payloads

const camel = (key: string) => key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const snake = (key: string) => key.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()

const SPELLINGS: Record<string, (key: string) => string> = {
  camelCase: (key) => camel(key),
  'kebab-case': (key) => snake(key).replaceAll('_', '-'),
  snake_case: (key) => snake(key),
  SCREAMING_CASE: (key) => snake(key).toUpperCase(),
  'Title Case': (key) => snake(key).replaceAll('_', ' '),
}

describe('the payloads of comparable services', () => {
  for (const vector of vectors) {
    if (vector.want.alarm !== undefined)
      it(`refuses ${vector.name}: ${vector.note} [R EVT-02]`, () => {
        expect(refusalOf(vector.body, vector.event)).toEqual({ code: vector.want.alarm })
      })
    else
      it(`reads ${vector.name}: ${vector.note} [R ${vector.want['tapped'] ? 'EVT-02, EVT-03' : 'EVT-02'}]`, () => {
        expectWanted(viewOf(vector.event, vector.body).facts, vector)
      })
  }

  for (const [style, spell] of Object.entries(SPELLINGS))
    it(`reads all of them equally in ${style} [R EVT-02]`, () => {
      for (const vector of vectors.filter(({ want }) => want.alarm === undefined)) {
        const body: unknown = JSON.parse(vector.body, (_, value: unknown) =>
          typeof value === 'object' && value !== null && !Array.isArray(value)
            ? Object.fromEntries(Object.entries(value).map(([key, each]) => [spell(key), each]))
            : value,
        )
        expectWanted(viewOf(vector.event, body).facts, vector)
      }
    })
})

function expectWanted(facts: Facts, { name, want }: Vector): void {
  const { absent = [], ...wanted } = want
  for (const fact of absent) expect(facts[fact], `${name} ${fact}`).toBeUndefined()
  for (const [fact, value] of Object.entries(wanted)) {
    const found = facts[fact as keyof Facts]?.value
    const shown = fact === 'at' ? new Date(found as number).toISOString() : found
    if (typeof value === 'object') expect(shown, `${name} ${fact}`).toMatchObject(value as object)
    else expect(shown, `${name} ${fact}`).toBe(value)
  }
}
