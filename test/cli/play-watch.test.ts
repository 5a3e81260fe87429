import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { watchEmulator } from '../../src/cli/play/watch.ts'
import type { Control } from '../../src/cli/support/emulator.ts'
import { ASHA, JUMA } from '../support/people.ts'

/** A control API whose stream says what the test says. */
function spokenControl() {
  const stream = new TransformStream<Uint8Array, Uint8Array>()
  const writer = stream.writable.getWriter()
  const frame = (text: string) => void writer.write(new TextEncoder().encode(text))
  frame(': hello\n\n')
  const control = {
    url: 'http://127.0.0.1:4747',
    get: async () => ({ items: [] }),
    stream: async () => new Response(stream.readable),
  } as unknown as Control
  return { control, say: (happening: object) => frame(`data: ${JSON.stringify(happening)}\n\n`) }
}

const wrote = (customer: string, direction: 'INBOUND' | 'OUTBOUND') => ({
  kind: 'thread',
  customer,
  item: { id: `${customer}-${direction}`, direction, kind: 'text', text: 'hours', status: null },
})
const delivered = (customer: string) => ({
  kind: 'delivery',
  delivery: { id: customer, event: 'message.received', customer, state: 'delivered', last: { status: 200 } },
})

it('a step does not wait for customers who write meanwhile, nor for calls', async () => {
  const { control, say } = spokenControl()
  using watch = await watchEmulator(control, new Set([ASHA]))
  let moved = false
  const change = watch.change(60_000).then(() => (moved = true))
  for (const happening of [wrote(JUMA, 'INBOUND'), delivered(JUMA), { kind: 'api' }, wrote(JUMA, 'OUTBOUND')]) {
    say(happening)
    for (let turns = 0; turns < 20; turns++) await turn()
    expect(moved).toBe(false)
  }
  expect(watch.sentSince(0)).toEqual([])
  say(wrote(ASHA, 'OUTBOUND'))
  await change
  expect(watch.sentSince(0)).toMatchObject([{ to: ASHA, text: 'hours' }])
})
