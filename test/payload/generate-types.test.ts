import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBody, type Sample, typesOf } from '../../src/payload/index.ts'
import { compile } from '../support/compile.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The type between the braces of `Payloads`, for samples of one event. */
function typeOf(...samples: unknown[]): string {
  const types = typesOf(samples.map((json) => ({ event: 'e', json })))
  return types.slice(types.indexOf('e: ') + 3, types.lastIndexOf('\n  }\n}')).replaceAll(/\s+/g, ' ')
}

describe('types of recorded payloads', () => {
  it('are a module that fills Payloads, and say that they are observed and in how many deliveries [R EVT-05]', () => {
    const samples = [
      { event: 'order.created', json: { id: 'o-1' } },
      { event: 'message.received', json: { from: '255712000101' } },
      { event: 'order.created', json: { id: 'o-2', paid: true } },
    ]
    const types = typesOf(samples)
    expect(types.split('\n', 1)[0]).toContain('observed, not contract')
    expect(types.slice(types.indexOf('export {}'))).toBe(`export {}

declare module 'switchhook' {
  interface Payloads {
    /** seen: 1 */
    'message.received': {
      from: string
    }
    /** seen: 2 */
    'order.created': {
      id: string
      paid?: boolean
    }
  }
}
`)
  })

  it('make a member optional if any sample lacks it, at every depth [R EVT-05]', () => {
    expect(typeOf({ a: { b: 1, c: 1 } }, { a: { b: 2 } }, { d: 1 })).toBe('{ a?: { b: number c?: number } d?: number }')
  })

  it('unite kinds that differ, null among them, and never close a set of values [R EVT-05]', () => {
    expect(typeOf({ a: null }, { a: 'sent' }, { a: 1 }, { a: [true] }, { a: { b: 'read' } })).toBe(
      '{ a: string | number | { b: string } | boolean[] | null }',
    )
  })

  it('name the service’s own words that everybody knows, open for others, and nothing that somebody said [R EVT-05]', () => {
    const sample = { event: 'message.status', status: 'SENT', type: 'text', content: 'read', category: 'Asha' }
    expect(typeOf(sample, { ...sample, status: 'read', type: 'poll' })).toBe(
      "{ category: string content: string event: 'message.status' | (string & {}) status: 'SENT' | 'read' | (string & {}) type: 'text' | (string & {}) }",
    )
  })

  it('count locked shapes as samples, with what each of them lacks [R EVT-05, EVT-08]', () => {
    const places = [
      'data:object',
      'data.from:string',
      'data.at:number',
      'data.at:null',
      'tags:array',
      'tags[]:string',
      '*:json',
    ]
    const types = typesOf(
      [],
      [
        { event: 'e', places },
        {
          event: 'e',
          places: ['data:object', 'data.from:string', 'messages:array', 'messages[]:object', 'messages[].x:boolean'],
        },
      ],
    )
    expect(types).toContain('/** seen: 0, locked shapes: 2 */')
    expect(types.slice(types.indexOf('e: ') + 3, types.lastIndexOf('\n  }\n}')).replaceAll(/\s+/g, ' ')).toBe(
      '{ data: { at?: number | null from: string } messages?: { x: boolean }[] tags?: string[] [member: string]: unknown }',
    )
    expect(typesOf([{ event: 'e', json: { a: 1 } }], [{ event: 'e', places: ['a:string'] }])).toContain(
      '/** seen: 1, locked shapes: 1 */\n    e: {\n      a: string | number\n    }',
    )
  })

  it('merge the elements of all arrays at one place [R EVT-05]', () => {
    expect(typeOf({ a: [{ b: 1 }, { c: 1 }] }, { a: [null] })).toBe('{ a: ({ b?: number c?: number } | null)[] }')
    expect(typeOf({ a: [] })).toBe('{ a: unknown[] }')
    expect(typeOf({ a: [] }, { a: ['x'] })).toBe('{ a: string[] }')
  })

  it('quote a name that is no identifier, and let no name out of its quotes [R EVT-05]', () => {
    const name = (key: string) => /\{ (.*): null \}/.exec(typeOf(JSON.parse(`{${JSON.stringify(key)}:null}`)))?.[1]
    expect(['plain_1', 'a-b', '__proto__', '@type', 'x:y'].map(name)) //
      .toEqual(['plain_1', "'a-b'", "'__proto__'", "'@type'", "'x:y'"])
  })

  it('do not show names that are data, such as a phone number that is a key [R EVT-05]', () => {
    expect(typeOf({ '255712000101': { n: 1 }, '+255 712 000 102': { n: 2 } })).toBe(
      '{ [member: string]: { n: number } }',
    )
    expect(typeOf({ a: 1, 'asha@example.com': 'x' })).toBe('{ a: number [member: string]: unknown }')
    expect(typeOf({ 'Asha Massawe': 1, "it's": 2, '': 3, 'a\nb': 4 })).toBe('{ [member: string]: number }')
    expect(typeOf({ ['k'.repeat(65)]: 1 })).toBe('{ [member: string]: number }')
  })

  it('hold nothing personal, at whatever place of a body it stood [R EVT-05, AUTH-07]', () => {
    const canaries = [
      '255744123456',
      'Neema Massawe',
      'naumwa sana',
      'wamid.CANARYkWz',
      '+255 744 123 456',
      'TZ.1349120865',
    ]
    const json = {
      ...Object.fromEntries(canaries.map((canary) => [canary, { [canary]: canary }])),
      type: canaries[1],
      status: canaries[2],
      event: canaries[3],
      list: [canaries, canaries.map((canary) => ({ status: canary, [canary]: [canary] }))],
      number: 255744123456,
    }
    const types = typesOf([
      { event: 'message.received', json },
      { event: 'message.received', json: { type: 'Neema' } },
    ])
    for (const word of [...canaries, 'Neema', 'Massawe', 'naumwa', 'CANARY', '7441']) expect(types).not.toContain(word)
  })

  it('stay small and shallow, whatever was received [R EVT-05]', () => {
    let deep: unknown = 'value'
    for (let i = 0; i < 150; i++) deep = { a: [deep] }
    expect(typeOf(deep)).toMatch(/a: unknown\[\]|a: unknown/)
    const letters = (n: number) => String(n).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')
    const wide = (n: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: n }, (_, i) => [letters(i), value]))
    expect(typeOf(wide(5_000, 1)).length).toBeLessThan(5_000)
    expect(typeOf(wide(300, wide(300, 1))).length).toBeLessThan(60_000)
    expect(typeOf(wide(5_000, 1))).toContain('[member: string]: unknown')
    const events = Array.from({ length: 1_000 }, (_, i) => ({ event: `e.${i}`, json: {} }))
    expect(typesOf(events).match(/seen: /g)).toHaveLength(100)
    expect(typesOf(events)).toContain('    // left out, since there are so many: 900 events\n')
  })
})

// Marked, so that none can stand in the output by chance.
const value = fc.oneof(
  fc.string().map((text) => `§${text}`),
  fc.integer({ min: 1_000_000_000 }),
  fc.boolean(),
  fc.constant(null),
)
const NAMES = [
  '__proto__',
  'constructor',
  'readonly',
  'new',
  'get',
  'a',
  'b',
  "'",
  '"',
  '`',
  '*/',
  '//',
  '\\',
  '\n',
  '\u2028',
  ']',
  '?',
  '${a}',
]
const name = fc.oneof(
  fc.constantFrom(...NAMES),
  fc.string({ unit: 'binary' }).filter((text) => !text.includes('§')),
)
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    value,
    fc.array(tie('json'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('json')), { maxLength: 5 }).map(fromPairs),
  ),
}))
const samples: fc.Arbitrary<Sample[]> = fc.array(fc.record({ event: name, json }), { minLength: 1, maxLength: 6 })

// As JSON.parse makes them: a member called `__proto__` is a member.
function fromPairs(pairs: [string, unknown][]): unknown {
  return JSON.parse(`{${pairs.map(([key, member]) => `${JSON.stringify(key)}:${JSON.stringify(member)}`).join(',')}}`)
}

describe('types of any payloads', () => {
  it('are types and nothing else, show no value, and are the same for any order of the deliveries [R EVT-05]', () => {
    fc.assert(
      fc.property(samples, (all) => {
        const types = typesOf(all)
        // What is left after the types are gone is what would run.
        expect(
          stripTypeScriptTypes(types)
            .replace(/^(\/\/.*\n)*/, '')
            .trim(),
        ).toBe('export {}')
        expect(types).not.toContain('§')
        expect(types).not.toMatch(/\d{10}/)
        expect(typesOf(all.toReversed())).toBe(types)
      }),
      { numRuns: 500 },
    )
  })

  it('compile, fit every sample that they were made from, and type the json of a handler [R EVT-05]', () => {
    // Every object has a constructor for the compiler, so one without that member does not fit one that may have it.
    const drawn = fc
      .sample(samples, { numRuns: 25, seed: 5 })
      .flat()
      .filter((sample) => !JSON.stringify(sample).includes('constructor'))
    const all: Sample[] = [...drawn, ...fixtures(), { event: 'order.created', json: { id: 'o-1' } }]
    const handler = `
      import { createBot } from 'switchhook'
      createBot().on('order.created', (ctx) => {
        const id: string = ctx.json.id
        // @ts-expect-error -- no delivery had it
        return [id, ctx.json.total]
      })
      createBot().hears('hi', (ctx) => {
        const kind: string = ctx.event.json.data?.message_type ?? ''
        // @ts-expect-error -- no delivery had it
        return [kind, ctx.event.json.nothing]
      })
      createBot().on('order.cancelled', (ctx) => {
        const json: unknown = ctx.json
        // @ts-expect-error -- no such delivery was seen
        return [json, ctx.json.id]
      })`
    const given = all.map(({ event, json }, i) => `export const s${i}: Payloads[${text(event)}] = ${literal(json)}\n`)
    expect(
      compile({
        // No .d.ts here: those are not checked.
        'payloads.ts': typesOf(all),
        'samples.ts': `import type { Payloads } from 'switchhook'\n${given.join('')}`,
        'handler.ts': handler,
      }),
    ).toBe('')
  })
})

/** The payloads of comparable services, as far as they are objects. */
function fixtures(): Sample[] {
  const file = join(root, 'test/vectors/payloads.json')
  const { payloads } = JSON.parse(readFileSync(file, 'utf8')) as { payloads: { event: string; body: string }[] }
  return payloads.flatMap(({ event, body }) => {
    const parsed = parseBody(new TextEncoder().encode(body))
    return 'json' in parsed ? [{ event, json: parsed.json }] : []
  })
}

function text(value: string): string {
  return JSON.stringify(value).replaceAll(/[\u2028\u2029]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`)
}

/** A value as TypeScript; computed names, since `"__proto__": x` in a literal is no member. */
function literal(value: unknown): string {
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return `[${value.map(literal).join(',')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return `{${Object.entries(value)
    .map(([key, member]) => `[${text(key)}]: ${literal(member)}`)
    .join(',')}}`
}
