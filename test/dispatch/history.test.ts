import { expect, it } from 'vitest'
import { historyOf } from '../../src/dispatch/history.ts'
import type { AttemptDeps } from '../../src/dispatch/types.ts'

it('no reply to a burst stands between its messages, though the clock went back meanwhile', async () => {
  const message = (text: string, receivedAt: number) => ({
    at: receivedAt,
    receivedAt,
    clockOffset: 0,
    cause: 'burst:1',
    facts: JSON.stringify({ values: { text } }),
  })
  const history = {
    received: [message('b', 2_000), message('a', 1_000)],
    sent: [{ acceptedAt: 1_500, cause: 'burst:1', body: JSON.stringify({ text: 'reply' }) }],
  }
  const store = { history: async () => history } as unknown as AttemptDeps['store']
  const said = await historyOf({ number: 'default', customer: '255712000101' }, 9, { store })
  expect(said.map(({ text }) => text)).toEqual(['a', 'b', 'reply'])
})

it('a message of a kind that another release has sent is there, without a text', async () => {
  const sent = [{ acceptedAt: 1_500, cause: 'one', body: JSON.stringify({ to: '1', type: 'sticker', sticker: 's' }) }]
  const store = { history: async () => ({ received: [], sent }) } as unknown as AttemptDeps['store']
  const said = await historyOf({ number: 'default', customer: '255712000101' }, 9, { store })
  expect(said).toMatchObject([{ by: 'bot', kind: 'sticker', text: undefined }])
})
