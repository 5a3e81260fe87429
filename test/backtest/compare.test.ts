import { describe, expect, it } from 'vitest'
import { compareRuns, unrepeated } from '../../src/backtest/compare.ts'
import type { Difference } from '../../src/backtest/difference.ts'
import type { Played, Run, Said } from '../../src/backtest/recording.ts'
import { ASHA, said as delivery } from './support.ts'

const says = (text: string, given: Partial<Said> = {}): Said => ({
  to: ASHA,
  kind: 'text',
  text,
  options: [],
  fellBack: false,
  ...given,
})
const played = (texts: readonly (string | Said)[], given: Partial<Played> = {}): Played => ({
  outcome: 'handled',
  route: 'otherwise',
  said: texts.map((text) => (typeof text === 'string' ? says(text) : text)),
  ms: 1,
  ...given,
})
const run = (all: readonly Played[], apart: Run['apart'] = {}): Run => ({ played: all, apart, refused: {} })
const twice = (one: Run) => [one, one] as const

const deliveries = Array.from({ length: 8 }, (_, index) => delivery('hi', index * 1_000))
const compare = (before: Run, after: Run) => compareRuns(deliveries, twice(before), twice(after), { slowerFactor: 2 })

/** The differences of one delivery, in short. */
function told(before: Played, after: Played): string[] {
  const { changed } = compareRuns(deliveries.slice(0, 1), twice(run([before])), twice(run([after])), {
    slowerFactor: 2,
  })
  return (changed[0]?.differences ?? []).map(shortly)
}

function shortly(one: Difference): string {
  const text = (said: Said | string | undefined) => (typeof said === 'object' ? said.text : said)
  const sides = ['before' in one ? `-${text(one.before)}` : '', 'after' in one ? `+${text(one.after)}` : '']
  return [one.kind, ...sides].filter(Boolean).join(' ')
}

describe('two versions of a bot', () => {
  it.for<[string[], string[], string[]]>([
    [['a', 'b'], ['a', 'b'], []],
    [['a', 'b'], ['a', 'c'], ['different -b +c']],
    [['a', 'b'], ['b'], ['missing -a']],
    [['b'], ['a', 'b'], ['new +a']],
    [['a', 'b', 'c'], ['c'], ['missing -a', 'missing -b']],
    [['a', 'b'], ['b', 'a'], ['different -a +a']],
    [[], ['a'], ['new +a']],
  ])('that say %j and %j differ by %j', ([before, after, expected]) => {
    expect(told(played(before), played(after))).toEqual(expected)
  })

  it('differ by all that a customer sees of a message', () => {
    const list = says('Choose', { kind: 'interactive', options: [{ id: 'a', title: 'A' }] })
    for (const other of [
      { ...list, options: [{ id: 'a', title: 'B' }] },
      { ...list, kind: 'text' },
      { ...list, more: '{"footer":"till 5"}' },
      { ...list, media: 'https://media.example/1' },
      { ...list, template: { name: 'choose', language: 'en', body: [] } },
      { ...list, refused: { code: 'send_failed' } },
    ])
      expect(told(played([list]), played([other]))).toEqual(['different -Choose +Choose'])
    expect(told(played([list]), played([{ ...list, to: '255712000102' }]))).toEqual(['missing -Choose', 'new +Choose'])
  })

  it('differ by the route, by a failure and by its error, and by what is mended', () => {
    const fails = (error: string) => played([], { outcome: 'dead', failure: { route: 'otherwise', error } })
    expect(told(played(['a']), played(['a'], { route: 'hears:a' }))).toEqual(['other_route -otherwise +hears:a'])
    expect(told(played([]), fails('TypeError: x'))).toEqual(['failed'])
    expect(told(fails('TypeError: x'), fails('TypeError: y'))).toEqual(['failed'])
    expect(told(fails('TypeError: x'), fails('TypeError: x'))).toEqual([])
    expect(told(fails('TypeError: x'), played([]))).toEqual(['mended'])
  })

  it('are not compared at a delivery that one of them does not answer twice alike', () => {
    const same = run(deliveries.map(() => played(['a'])))
    const chance = run(deliveries.map((_, index) => played([index === 2 ? 'dice' : 'a'])))
    expect(unrepeated(deliveries, [same, chance])).toEqual([deliveries[2]?.id])
    for (const [before, after] of [
      [[same, chance] as const, twice(same)],
      [twice(same), [same, chance] as const],
    ] as const) {
      const { notRepeatable, changed, same: alike } = compareRuns(deliveries, before, after, { slowerFactor: 2 })
      expect([notRepeatable, changed, alike]).toEqual([[deliveries[2]?.id], [], 7])
    }
  })

  it('are compared in what no delivery caused, by the name of the cause', () => {
    const all = deliveries.map(() => played(['a']))
    const compared = compare(run(all), run(all, { 'window.closing to 255712000101': played(['Bye?']) }))
    expect(compared).toMatchObject({ same: 8, changed: [{ id: 'window.closing to 255712000101', at: undefined }] })
  })

  it('are told by route if one takes much longer, and that alone is no difference', () => {
    const taking = (ms: number) => run(deliveries.map(() => played(['a'], { ms })))
    expect(compare(taking(10), taking(30))).toMatchObject({
      changed: [],
      slower: [{ route: 'otherwise', deliveries: 8, thenMs: 10, nowMs: 30 }],
    })
    expect(compare(taking(1), taking(4)).slower).toEqual([])
    expect(compare(taking(100), taking(150)).slower).toEqual([])
  })
})
