import { describe, expect, it } from 'vitest'
import { says, taps } from '../support/turn.ts'
import { openWorld, type World } from '../support/virtual-world.ts'
import { readFixture, releases } from './fixture.ts'
import { deliverAgain } from './play.ts'
import { OPTIONS, PEOPLE, shop } from './shop.ts'

/** The world that the killed process of that release has left, once the closed number was tried again. */
async function open(release: string): Promise<World> {
  const { image, service } = readFixture(release)
  const world = await openWorld(shop, { options: OPTIONS, beginsAt: service.at, image, service })
  await world.pass('1m')
  return world
}

const last = async (world: World, customer: string) => (await world.replies(customer)).at(-1)

describe.for(releases)('a database that release %s has left in the middle of its work', (release) => {
  it('has lost nothing, and what was under way goes out once [R DEL-01, R DEL-02, C KEY-01]', async () => {
    await using world = await open(release)
    // The service answers the repeat under its known key, so a repeat under another key would arrive as a second message.
    expect(await world.replies(PEOPLE.unanswered)).toEqual(['message 1'])
    const { keys } = readFixture(release).service
    const sent = (await world.emulator.keys.list()).map(({ key }) => key)
    expect(sent.filter((key) => keys.includes(key))).toHaveLength(2)
    expect(await world.replies(PEOPLE.held)).toEqual(['message 1'])
    expect(await world.replies(PEOPLE.failed)).toEqual(['message 1', 'Paid'])
    await world.pass('2m')
    expect((await world.replies(PEOPLE.asked)).filter((text) => text === 'Tomorrow at nine')).toHaveLength(1)
    const { items, sends } = await world.counts()
    const unsettled = ['stored', 'running', 'retry', 'ready', 'attempting', 'scheduled']
    expect(unsettled.filter((state) => items[state] ?? sends[state])).toEqual([])
  })

  it('has its conversations, sessions, signed options and silences', async () => {
    await using world = await open(release)
    await taps(world, 'cash', PEOPLE.asked)
    expect(await last(world, PEOPLE.asked)).toBe('Monday, place 7, cash')
    await taps(world, 'track', PEOPLE.asked)
    expect(await last(world, PEOPLE.asked)).toBe('On its way')
    await says(world, 'count', PEOPLE.asked)
    expect(await last(world, PEOPLE.asked)).toBe('message 2')
    await says(world, 'count', PEOPLE.handedOver)
    expect(await world.replies(PEOPLE.handedOver)).toEqual([])
    await world.pass('2m')
    await says(world, 'count', PEOPLE.handedOver)
    expect(await world.replies(PEOPLE.handedOver)).toEqual(['message 2'])
  })

  it('knows a delivery again [R DEL-02]', async () => {
    await using world = await open(release)
    await deliverAgain(world)
    await says(world, 'count', PEOPLE.failed)
    expect(await last(world, PEOPLE.failed)).toBe('message 2')
  })

  it('has its dead letters, which a person can have tried again, what lies parked, and the record of acts', async () => {
    await using world = await open(release)
    const idsOf = (state: string) => world.read(`SELECT id FROM items WHERE state = '${state}'`)
    expect(await idsOf('parked')).toHaveLength(1)
    const [dead, ...others] = await idsOf('dead')
    expect(others).toEqual([])
    const id = Number(dead?.['id'])
    expect(await world.store().retryItems([id], world.now())).toEqual([id])
    await world.settled()
    expect(await idsOf('dead')).toEqual([dead])
    expect(await world.store().listActs({ limit: 9 })).toMatchObject({ acts: [{ who: 'Neema', count: 1 }] })
  })
})
