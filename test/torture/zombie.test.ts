import { afterEach, beforeEach, expect, it } from 'vitest'
import { createEmulator, type Emulator } from 'switchhook/emulator'
import { ASHA } from '../support/people.ts'
import { createPoster, messageFrom } from '../../tools/torture/post.ts'
import { openHarness, SECRET, type Harness } from '../../tools/torture/processes.ts'

let harness: Harness
let emulator: Emulator
beforeEach(async () => {
  harness = openHarness()
  emulator = await createEmulator()
})
afterEach(async () => {
  await emulator.close()
  await harness[Symbol.asyncDispose]()
})

it('a process that was suspended for longer than its lease changes nothing when it continues: one reply [F-55, F-74]', async () => {
  const speed = 5
  const zombie = await harness.launch({ emulator, speed })
  const poster = createPoster(SECRET)
  await emulator.customer(ASHA).says('the window is open')
  await poster.post(zombie.url, messageFrom(ASHA, 'slow'))
  poster.close()
  await zombie.reported((report) => report.kind === 'at' && report.what === 'slow')

  zombie.order({ do: 'suspend' })
  const heir = await harness.launch({ emulator, speed })
  await heir.handled(1)
  zombie.wake()
  zombie.order({ do: 'resume' })
  await zombie.reported((report) => report.kind === 'settled' && report.as === 'lost')

  const thread = await emulator.customer(ASHA).thread()
  expect(thread.filter(({ direction }) => direction === 'OUTBOUND').map(({ text }) => text)).toEqual(['Attempt 2'])
  const notes = harness.notes().map(({ what, pid }) => [what, pid])
  expect(notes).toEqual([
    ['start', zombie.pid],
    ['start', heir.pid],
    ['end', heir.pid],
  ])
})
