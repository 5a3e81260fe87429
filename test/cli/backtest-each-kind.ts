import type { Comparison } from '../../src/backtest/compare.ts'
import type { Difference } from '../../src/backtest/difference.ts'
import type { Said } from '../../src/backtest/recording.ts'
import { findingsOf } from '../../src/cli/backtest/findings.ts'
import { reportPage } from '../../src/cli/backtest/report-html.ts'

/** The page about a comparison that found a difference of each kind, with texts as long as they come. */
export function reportOfEachKind(o: { reveal: boolean }): string {
  return reportPage(COMPARISON, findingsOf(COMPARISON, o.reveal), '2026-03-04T09:00:00.000Z')
}

const LONG_ROUTE = 'conversation:booking/when-would-you-like-to-come-to-us-next-week'
const said = (text: string, more: Partial<Said> = {}): Said => ({
  to: '255712000101',
  kind: 'text',
  text,
  options: [],
  fellBack: false,
  ...more,
})

const FOUND: readonly (readonly [times: number, route: string, difference: Difference])[] = [
  [
    21,
    'hears:hours',
    { kind: 'different', before: said('We are open from 9 to 17.'), after: said('We are open from 8 to 17.') },
  ],
  [
    4,
    LONG_ROUTE,
    {
      kind: 'different',
      before: said('Which day suits you?', { kind: 'list', options: [{ id: 'mon', title: 'Monday' }] }),
      after: said('When would you like to come?\nWe have room on two days.', {
        kind: 'buttons',
        options: [
          { id: 'mon', title: 'Monday' },
          { id: 'tue', title: 'Tuesday' },
        ],
      }),
    },
  ],
  [
    3,
    'hears:price',
    { kind: 'failed', outcome: 'dead', failure: { error: "TypeError: reading 'price' of undefined" } },
  ],
  [2, 'hears:hats', { kind: 'other_route', before: 'hears:hats', after: 'otherwise' }],
  [2, 'hears:price', { kind: 'missing', before: said('The price is 3.') }],
  [1, 'otherwise', { kind: 'new', after: said(`See https://shop.example/${'hats'.repeat(40)} for all of them.`) }],
  [
    1,
    'hears:order',
    {
      kind: 'different',
      before: said('Your order is ready.'),
      after: said('', {
        kind: 'template',
        template: { name: 'order_ready', language: 'en', body: ['17'] },
        fellBack: true,
      }),
    },
  ],
  [1, 'hears:hello', { kind: 'mended', outcome: 'handled' }],
]

const idOf = (n: number) => `01KAX3C0V2K7G0ZP6T2J5M${String(n).padStart(4, '0')}`

const COMPARISON: Comparison = {
  deliveries: 1_207,
  same: 1_170,
  changed: FOUND.flatMap(([times, route, difference], row) =>
    Array.from({ length: times }, (_, n) => ({
      id: row === 5 ? 'message.status to 255712000101' : idOf(100 * row + n),
      event: 'message.received',
      at: row === 5 ? undefined : 0,
      route,
      differences: [difference],
    })),
  ),
  notRepeatable: [idOf(901), idOf(902), idOf(903)],
  slower: [{ route: LONG_ROUTE, deliveries: 31, thenMs: 4.2, nowMs: 61 }],
}
