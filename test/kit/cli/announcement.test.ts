import { describe, expect, it } from 'vitest'
import { announced, NEWS } from '../../store/announced.ts'
import { outboxFolder } from './outbox-support.ts'
import { jsonLines, switchhook } from './support.ts'

const { folder, inApp } = outboxFolder()
const [ASHA, JUMA, NEEMA] = ['255712000101', '255712000102', '255712000103'] as const
const AT = NEWS.createdAt

const announcement = (...args: string[]) => switchhook(['announcement', ...args], {}, folder())

/** One was accepted, the second refused, the third waits. */
const half = () =>
  inApp(async (store) => {
    const id = await announced(store, [ASHA, JUMA, NEEMA], {}, (customer) => ({ name: `=${customer}` }))
    await store.endRecipients(
      id,
      [{ customer: JUMA, end: 'refused', code: 'send_failed', reason: 'no such phone' }],
      AT,
    )
    await store.endRecipients(id, [{ customer: ASHA, end: 'sent' }], AT)
    return id
  })

describe('switchhook announcement', () => {
  it('lists announcements with their counts, newest first, and masks what may name a customer', async () => {
    await half()
    await inApp((store) => announced(store, [ASHA], { name: JSON.stringify(['visit', ASHA]) }))
    const lines = jsonLines((await announcement('ls', '--json')).stdout)
    expect(lines).toMatchObject([
      { key: 'visit …101', state: 'running', total: 1, waiting: 1 },
      { key: 'sale 7', state: 'running', total: 3, waiting: 1, sent: 1, failed: 1, doubtful: 0 },
    ])
  })

  it('shows how far one is and its recipients, by state, masked unless revealed', async () => {
    await half()
    const [report, ...rows] = jsonLines((await announcement('show', '1', '--json')).stdout)
    expect(report).toMatchObject({ total: 3, sent: 1, failed: 1, waiting: 1, state: 'running' })
    expect(rows).toMatchObject([
      { to: '…101', state: 'sent' },
      { to: '…102', state: 'failed', reason: 'send_failed' },
      { to: '…103', state: 'waiting' },
    ])
    expect(JSON.stringify(rows)).not.toContain(ASHA)
    const [, failed] = jsonLines((await announcement('show', '1', '--json', '--state', 'failed', '--reveal')).stdout)
    expect(failed).toMatchObject({ to: JUMA, detail: 'no such phone', columns: { name: `=${JUMA}` } })
  })

  it('exports every recipient as CSV, in which no cell is a formula', async () => {
    await half()
    const { stdout } = await announcement('export', '1', '--reveal')
    const [head, first, second] = stdout.split('\n')
    expect(head).toBe('"to","state","reason","detail","at","columns"')
    expect(first).toBe(`"${ASHA}","sent","","","2026-03-04T09:00:00.000Z","{""name"":""=${ASHA}""}"`)
    expect(second).toContain(`"${JUMA}","failed","send_failed","no such phone"`)
    expect((await announcement('export', '1')).stdout).not.toContain(ASHA)
  })

  it('pauses, resumes, retries and cancels one, and says what its state does not allow', async () => {
    await half()
    const state = async (...args: string[]) => jsonLines((await announcement(...args, '--json')).stdout)[0]
    expect(await state('pause', '1')).toEqual({ id: 1, state: 'paused' })
    expect((await announcement('pause', '1')).stderr).toContain('the announcement 1 is paused')
    expect(await state('retry', '1', '--reason', 'other')).toEqual({ id: 1, waiting: 0 })
    expect(await state('retry', '1', '--reason', 'send_failed')).toEqual({ id: 1, waiting: 1 })
    expect(await state('resume', '1')).toEqual({ id: 1, state: 'running' })
    expect(await state('cancel', '1')).toEqual({ id: 1, state: 'cancelled' })
    expect(await announcement('resume', '1')).toMatchObject({ code: 1 })
    expect((await announcement('show', '9')).stderr).toContain('no announcement has the number 9')
    expect(await announcement('show', 'nine')).toMatchObject({ code: 2 })
  })
})
