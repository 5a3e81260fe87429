import { expect, it } from 'vitest'
import type { Message } from '../../../src/bot/routes/context.ts'
import { RouteTable } from '../../../src/bot/routes/table.ts'

it("received('text') does not match a message without a text, whatever its payload calls it [R EVT-02]", () => {
  const table = new RouteTable()
  table.received('text', () => {})
  const [entry] = table.entries
  const message: Message = { id: 'm', kind: 'text', at: new Date(0), text: 'hi', tapped: undefined, media: undefined }
  const matches = (one: Message) =>
    entry && 'route' in entry && entry.route.match(one, { now: 0, open: () => undefined })
  expect(matches(message)).toEqual({})
  expect(matches({ ...message, text: '' })).toEqual({})
  expect(matches({ ...message, text: undefined })).toBeUndefined()
  expect(matches({ ...message, kind: 'image' })).toBeUndefined()
})
