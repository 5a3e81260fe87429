import { expect, it } from 'vitest'
import type { Observed } from '../../src/bot/switchhook.ts'
import { shapesOf } from '../support/shapes.ts'
import { happens } from '../support/turn.ts'
import { ASHA, openWorld } from '../support/virtual-world.ts'

const EVENT = 'message.received'
const NAME = 'Mwanaidi Kisongo'
const TEXT = 'My loan was refused'

let made = 0

const payload = (more: object = {}) => ({
  event: EVENT,
  data: { id: `m-${++made}`, from: ASHA, text: TEXT, timestamp: 1_772_615_721, name: NAME, ...more },
})

/** A bot of a service that is not the emulator, and what a person hears of its payloads. */
async function openObserved(baseUrl = 'https://api.service.test') {
  const alarms: Observed[] = []
  const world = await openWorld(
    (bot) => {
      bot.observe({ alarm: (observed) => alarms.push(observed) })
      bot.otherwise(() => {})
    },
    { options: { baseUrl, allowedRecipients: [ASHA] } },
  )
  const heard = () => alarms.flatMap(({ event, reason }) => (reason?.startsWith('shape_') ? [[event, reason]] : []))
  const lines = () => world.lines.filter(({ message }) => message?.includes('payload report'))
  return { world, heard, lines }
}

it('a new and a changed shape are reported once, with the paths and a command, and nothing of a customer [R EVT-07]', async () => {
  const { world, heard, lines } = await openObserved()
  await using _ = world
  await happens(world, EVENT, payload())
  await happens(world, EVENT, payload())
  await world.pass('2s')
  const [first] = await shapesOf(world)
  expect(heard()).toEqual([[EVENT, `shape_new: ${first?.fingerprint}`]])
  await happens(world, EVENT, payload({ text: null, [ASHA]: NAME, note: TEXT }))
  await world.pass('2s')
  await happens(world, EVENT, payload({ text: null, [ASHA]: NAME, note: TEXT }))
  await world.pass('5m')
  expect(heard()).toHaveLength(2)
  expect(heard()[1]?.[1]).toMatch(/^shape_changed: [a-z]{12}$/)
  expect(lines()).toHaveLength(2)
  expect(lines()[1]).toMatchObject({
    level: 'warn',
    about: { gained: ['data.*:string', 'data.note:string', 'data.text:null'], lost: ['data.text:string'] },
  })
  const shown = JSON.stringify([heard(), lines(), await shapesOf(world)])
  for (const canary of [ASHA, NAME, TEXT]) expect(shown).not.toContain(canary)
})

it('the emulator’s shapes, which vary on purpose, are not reported', async () => {
  const { world, heard, lines } = await openObserved('http://127.0.0.1')
  await using _ = world
  await happens(world, EVENT, payload())
  await world.pass('2m')
  expect([heard(), lines()]).toEqual([[], []])
})
