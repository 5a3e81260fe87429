import { ulid } from 'ulid'
import { expect, it } from 'vitest'
import { type Bot, type BotOptions, signDelivery } from '../../src/bot/switchhook.ts'
import { ASHA, openWorld } from '../support/virtual-world.ts'

const EVENT = 'message.received'
const MANY = 150

/** Letters for a number, since digits in a name may be data, which shapes leave out. */
const word = (n: number) => String(n).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')

const message = (i: number, more: object = {}) => ({
  event: EVENT,
  data: { id: `m-${i}`, from: ASHA, text: 'x', timestamp: 1_772_615_721, ...more },
})
const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`

/** A bot of a service whose signing secret somebody hostile has. */
async function attacked(
  bodies: readonly (readonly [event: string, body: string])[],
  routes: (bot: Bot) => void = (bot) => void bot.otherwise(() => {}),
  options: BotOptions = {},
) {
  const world = await openWorld(routes, {
    options: { baseUrl: 'https://api.service.test', allowedRecipients: [ASHA], ...options },
  })
  const statuses = new Set<number | undefined>()
  for (const [i, [event, body]] of bodies.entries()) {
    const { signingSecret: secret } = world.emulator
    const headers = signDelivery({ body, secret, at: new Date(world.now()), event, deliveryId: ulid() })
    statuses.add(await world.deliver(headers, body))
    if (i % 50 === 49) await world.pass('2m')
  }
  await world.pass('2m')
  const said = world.lines.filter(({ level }) => level !== 'debug')
  return { world, statuses, said }
}

it('from an attacker, all unreadable, do not fill the log [R EVT-02]', async () => {
  const bad = ['[]', 'null', '{', '\0', nested(300), '"x"', '{"event":"message.status","data":{}}']
  const bodies = Array.from({ length: MANY }, (_, i) => `${bad[i % bad.length]}${' '.repeat(i)}`)
  const { world, ...seen } = await attacked(bodies.map((body) => [EVENT, body]))
  await using _ = world
  expect([...seen.statuses]).toEqual([200])
  expect(seen.said.length).toBeLessThan(40)
})

it('from an attacker, without a mapped fact and each with another shape, do not fill the log [R EVT-08]', async () => {
  const moved = (i: number) => JSON.stringify(message(i, { from: undefined, [word(i)]: { from: ASHA } }))
  const { world, ...seen } = await attacked(
    Array.from({ length: MANY }, (_, i) => [EVENT, moved(i)]),
    undefined,
    { facts: { [EVENT]: { customer: 'data.from' } } },
  )
  await using _ = world
  expect((await world.counts()).items).toEqual({ parked: MANY })
  expect(seen.said.length).toBeLessThan(60)
})

it('from an attacker, with long keys, deep nesting, long numbers and names of prototypes, stay small in tables and log [R EVT-02]', async () => {
  const mega = 'a'.repeat(500_000)
  const with_ = (member: string) => JSON.stringify(message(0)).replace('{', `{${member},`)
  const digits = '7'.repeat(400)
  const { world, ...seen } = await attacked(
    [
      with_(`"${mega}":1`),
      with_(`"${'aB'.repeat(200_000)}":{"${mega}":1}`),
      with_(`"deep":${nested(190)}`),
      with_(`"deeper":${nested(5_000)}`),
      with_(`"__proto__":{"from":"1"},"constructor":{"prototype":{"from":"1"}}`),
      JSON.stringify(message(0)).replace('1772615721', digits),
      JSON.stringify(message(0)).replace(`"${ASHA}"`, digits),
      JSON.stringify(message(0)).replace('"m-0"', `-${digits}.${digits}e${digits}`),
      JSON.stringify({ ...message(0), type: mega, event: mega }),
      JSON.stringify(message(0, { type: mega, status: mega, message_type: mega })),
      with_(Array.from({ length: 5_000 }, (_, i) => `"${word(i)}":{"from":"${i}"}`).join(',')),
      JSON.stringify({
        messages: Array.from({ length: 3_000 }, (_, i) => ({ id: `b-${i}`, text: 'x', [word(i)]: i })),
      }),
    ].map((body) => [EVENT, body]),
  )
  await using _ = world
  expect([...seen.statuses]).toEqual([200])
  expect(seen.said.length).toBeLessThan(60)
  expect(Math.max(...seen.said.map((line) => JSON.stringify(line).length))).toBeLessThan(3_000)
  expect(Object.hasOwn(Object.prototype, 'from')).toBe(false)
})
