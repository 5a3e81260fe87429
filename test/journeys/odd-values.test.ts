import { expect, it } from 'vitest'
import { happens } from '../support/turn.ts'
import { ASHA, openWorld, type World } from '../support/virtual-world.ts'

/** Text that no index can make shorter. */
function noise(length: number): string {
  let state = 7
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return String.fromCodePoint(0x4e00 + (state % 20_000))
  }).join('')
}

const status = (more: object) => ({
  event: 'message.status',
  data: { to: ASHA, message_id: 'z-1', status: 'read', ...more },
})
const message = (more: object) => ({
  event: 'message.received',
  data: { id: 'z-1', from: ASHA, message_type: 'text', content: 'Habari', timestamp: 1_772_615_721, ...more },
})

async function noteOf(world: World, body: { event: string }): Promise<string | undefined> {
  // Answered with 200, or it throws.
  await happens(world, body.event, body)
  await world.settled()
  const { deliveries } = await world.store().listDeliveries({ limit: 1 })
  expect(await world.store().unread(9)).toEqual([])
  const { state, note, items = [] } = deliveries[0] ?? {}
  return state === 'quarantined' ? note : items.map((item) => item.state).join()
}

it('a value that no table can store quarantines its delivery, under the value’s name [R SIG-09, EVT-02]', async () => {
  await using world = await openWorld((bot) => {
    bot.otherwise(() => {})
    bot.on('message.status', () => {})
  })
  for (const [fact, body] of [
    ['status', status({ status: noise(900) })],
    ['status', status({ status: 'read\0' })],
    ['messageId', status({ message_id: 'z\0' })],
    ['messageId', status({ message_id: `z\ud800` })],
    ['failureReason', status({ status: 'failed', failure_reason: 'a\0b' })],
    ['messageId', message({ id: 'z\0' })],
    ['upstreamId', message({ wa_message_id: 'wamid.\udc00' })],
  ] as const)
    expect(await noteOf(world, body), JSON.stringify(body)).toBe(`value_unstorable: ${fact}`)
})

it('other odd values are stored and handled [R EVT-02]', async () => {
  await using world = await openWorld((bot) => {
    bot.otherwise(() => {})
    bot.on('message.status', () => {})
  })
  for (const body of [
    status({ message_id: noise(512), status: noise(80), failure_reason: noise(9_000) }),
    message({ id: noise(512), wa_message_id: noise(512), message_type: noise(900) }),
    message({ id: noise(513), content: 'a\0b\ud800' }),
    message({ id: 'z-2', timestamp: 1e300, more: 12_345_678_901_234_567_890n.toString() }),
    message({ id: 'z-3', timestamp: '99999999999999999' }),
    message({ id: 9.5e18, content: noise(100_000) }),
    {
      event: 'template.status',
      data: { template_id: 'a\0', name: noise(3_000), status: noise(900), reason: '\ud800' },
    },
  ])
    expect(await noteOf(world, body), JSON.stringify(body).slice(0, 99)).toMatch(/^(?:done|ignored|)$/)
})
