import { afterEach, beforeEach, expect, it } from 'vitest'
import { createEmulator, type Emulator } from 'switchhook/emulator'
import { ASHA } from '../support/people.ts'
import { createPoster, messageFrom } from './post.ts'
import { openStage, SECRET, type Stage } from './stage.ts'

let stage: Stage
let emulator: Emulator
beforeEach(async () => {
  stage = openStage()
  emulator = await createEmulator()
})
afterEach(async () => {
  await emulator.close()
  await stage[Symbol.asyncDispose]()
})

it('a process that stood still for longer than its lease changes nothing when it goes on: one reply [F-55, F-74]', {
  timeout: 60_000,
}, async () => {
  const speed = 5
  const zombie = await stage.launch({ emulator, speed })
  const poster = createPoster(SECRET)
  await emulator.customer(ASHA).says('the window is open')
  await poster.post(zombie.url, messageFrom(ASHA, 'slow'))
  poster.close()
  await zombie.heard((word) => word.says === 'at' && word.what === 'slow')

  zombie.signal('SIGSTOP')
  const heir = await stage.launch({ emulator, speed })
  await heir.handled(1)
  zombie.signal('SIGCONT')
  zombie.goOn()
  await zombie.heard((word) => word.says === 'settled' && word.as === 'lost')

  const thread = await emulator.customer(ASHA).thread()
  expect(thread.filter(({ direction }) => direction === 'OUTBOUND').map(({ text }) => text)).toEqual(['Attempt 2'])
  const notes = stage.notes().map(({ what, pid }) => [what, pid])
  expect(notes).toEqual([
    ['start', zombie.pid],
    ['start', heir.pid],
    ['end', heir.pid],
  ])
})
