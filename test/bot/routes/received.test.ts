import { expect, it } from 'vitest'
import type { Message } from '../../../src/bot/routes/context.ts'
import { RouteTable } from '../../../src/bot/routes/table.ts'

const NOTHING = { text: undefined, tapped: undefined, media: undefined, location: undefined, reaction: undefined }
const EMPTY: Message = { id: 'm', kind: 'text', at: new Date(0), ...NOTHING }
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

it.each(['imagee', 'Image', 'poll', '', 'constructor'])(
  'received(%j) is refused, because no message of that name would ever match',
  (kind) => {
    const table = new RouteTable()
    const refused = expect.objectContaining({
      code: 'options_invalid',
      message: expect.stringMatching(/^received\(\): expected text, image, audio, .*ctx\.message\.kind/),
    })
    expect(() => table.received(kind, () => {})).toThrow(refused)
  },
)
