import { expect, it } from 'vitest'
import type { Message } from '../../../src/bot/routes/context.ts'
import { RouteTable } from '../../../src/bot/routes/table.ts'

const EMPTY: Message = { id: 'm', kind: 'text', at: new Date(0), text: undefined, tapped: undefined, media: undefined }
const PICTURE = { kind: 'image', url: 'https://media.example/1.jpg' }

it.each([
  ['text', { text: 'hi' }],
  ['text', { text: '' }],
  ['image', { media: PICTURE }],
  ['interactive', { tapped: { id: 'a', title: undefined } }],
  ['button', { tapped: { id: 'a', title: 'A' } }],
] as const)(
  'received(%j) matches a message of this kind with %j, and none without it, whatever its payload calls it [R EVT-02]',
  (kind, content) => {
    const table = new RouteTable()
    table.received(kind, () => {}, { burst: false })
    const [entry] = table.entries
    const route = entry && 'route' in entry ? entry.route : undefined
    const matches = (one: Message) => [
      route?.match(one, { now: 0, verify: () => undefined }) !== undefined,
      route?.matchesAlone?.(one),
    ]
    const message = { ...EMPTY, kind, ...content }
    expect(matches(message)).toEqual([true, true])
    expect(matches({ ...EMPTY, kind })).toEqual([false, false])
    expect(matches({ ...message, kind: 'contacts' })).toEqual([false, false])
  },
)
