import { expect, it } from 'vitest'
import { createEmulator } from 'switchhook/emulator'
import { createPoster, messageFrom } from './post.ts'
import { openStage, SECRET } from './stage.ts'

const ASHA = '255712000101'

it('F-55 F-74 a process that stood still for longer than its lease changes nothing when it goes on: one reply', async () => {
  await using stage = openStage()
  await using emulator = await createEmulator()
  const speed = 5
  const zombie = await stage.launch({ emulator, speed })
  const poster = createPoster(SECRET)
  await poster.post(zombie.url, messageFrom(ASHA, 'slow'))
  poster.close()
  await zombie.heard((word) => word.says === 'at' && word.what === 'slow')
  await emulator.customer(ASHA).says('the window is open')

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
