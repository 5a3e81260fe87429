import { expect, it } from 'vitest'
import { item } from '../../store/samples.ts'
import { DEAD, inboxFolder } from './inbox-support.ts'
import { jsonLines } from './support.ts'

const { inbox, came, handled, inApp, states } = inboxFolder()

const gathered = (given = {}) => item({ gathers: { quietMs: 3_600_000, maxMs: 3_600_000, maxMessages: 2 }, ...given })

it('ls and show report which deliveries are one burst, and which are being gathered', async () => {
  const seqs = [await came([gathered()]), await came([gathered()]), await came([gathered()])]
  const notes = (await inbox('ls')).stdout.split('\n').filter((line) => line.includes('message.received'))
  expect(notes.map((line) => /(?:a burst|being gathered).*/.exec(line)?.[0])).toEqual([
    `being gathered: ${seqs[2]}`,
    `a burst of ${seqs[0]}, ${seqs[1]}`,
    `a burst of ${seqs[0]}, ${seqs[1]}`,
  ])
  const [shown] = jsonLines((await inbox('show', String(seqs[2]), '--json')).stdout)
  expect(shown).toMatchObject({ items: [{ burst: { sealed: false, deliveries: [seqs[2]] } }] })
})

it('retry requeues a whole burst for one of its messages, and reports that [F-62]', async () => {
  const seqs = [await came([gathered()]), await came([gathered()])]
  await handled(DEAD)
  const { stderr } = await inbox('retry', String(seqs[0]))
  expect(stderr).toContain('Requeued: 2 dead items.\nA burst is requeued as a whole: that adds 1 of these.')
  expect((await states()).items).toEqual({ stored: 2 })
  await handled({ as: 'parked', reason: 'recipient_not_confirmed' })
  const [again] = jsonLines((await inbox('retry', '--parked', '--json')).stdout)
  expect(again).toEqual({ items: 0, deliveries: 2, along: 0, untouched: [] })
  expect((await inApp((store) => store.unread(9))).map(({ seq }) => seq)).toEqual(seqs)
})
