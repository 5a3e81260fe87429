import { beforeEach, describe, expect, it } from 'vitest'
import type { NewConversation } from '../../src/stores/port/index.ts'
import { item } from '../stores/samples.ts'
import { inboxFolder } from './inbox-support.ts'
import { jsonLines } from './support.ts'

const { inbox, came, handled, inApp } = inboxFolder()

const ASKED_AT = Date.UTC(2099, 2, 4, 9)
const opened = (given: Partial<NewConversation> = {}): NewConversation => ({
  id: 'c_1',
  number: 'default',
  customer: '255712000101',
  name: 'booking',
  version: 2,
  input: '"canary"',
  ...given,
})

/** A message of the customer enters the conversation, whose first question is open since then. */
async function enter(opens: NewConversation) {
  const { id, number, customer } = opens
  await came([item({ number, customer, lane: `${number}/${customer}` })])
  const steps = [{ step: 0, kind: 'ask', name: '', result: undefined }]
  const waits = { step: 0, for: 'answer', since: ASKED_AT, dueAt: ASKED_AT + 1_800_000 } as const
  await handled({ as: 'done', conversations: [{ id, opens, steps, next: { waits } }] })
}

describe('switchhook inbox conversations', () => {
  beforeEach(async () => {
    await enter(opened())
    await enter(opened({ id: 'c_2', number: 'retail', customer: '255712000102', name: 'order' }))
  })

  it('lists the open ones by number and customer, with what each waits for, and no phone number', async () => {
    const { code, stdout } = await inbox('conversations')
    expect(code).toBe(0)
    const cells = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/))
    expect(cells.map((row) => [...row.slice(0, 5), ...row.slice(6)])).toEqual([
      ['ID', 'NUMBER', 'CUSTOMER', 'CONVERSATION', 'VERSION', 'STEPS', 'WAITS FOR', 'UNTIL'],
      ['c_1', 'default', '…101', 'booking', '2', '1', 'an answer', '2099-03-04T09:30:00.000Z'],
      ['c_2', 'retail', '…102', 'order', '2', '1', 'an answer', '2099-03-04T09:30:00.000Z'],
    ])
    expect(jsonLines((await inbox('conversations', '--number', 'retail', '--reveal', '--json')).stdout)).toEqual([
      {
        kind: 'conversation',
        id: 'c_2',
        number: 'retail',
        customer: '255712000102',
        name: 'order',
        version: 2,
        openedAt: expect.stringMatching(/^\d{4}-/),
        steps: 1,
        waits: { step: 0, for: 'answer', since: '2099-03-04T09:00:00.000Z', until: '2099-03-04T09:30:00.000Z' },
      },
    ])
    expect(stdout + (await inbox('conversations', '--json')).stdout).not.toMatch(/canary|25571/)
  })

  it('lists as many as it is asked for, and says that there may be more', async () => {
    const { stdout, stderr } = await inbox('conversations', '--limit', '1')
    expect(stdout).not.toContain('c_2')
    expect(stderr).toBe('The first 1; --limit shows more.\n')
  })

  it('ends one whose end somebody confirms, once', async () => {
    const unconfirmed = await inbox('conversations', '--end', 'c_1')
    expect([unconfirmed.code, unconfirmed.stderr]).toEqual([4, expect.stringContaining('say --yes')])
    expect((await inbox('conversations', '--end', 'c_1', '--yes')).code).toBe(0)
    const { conversation } = await inApp((store) => store.journalOf('c_1'))
    expect(conversation).toMatchObject({ state: 'ended', ended: 'by_person' })
    expect((await inbox('conversations', '--customer', '255712000101')).stderr).toBe('No conversation is open.\n')
    const again = await inbox('conversations', '--end', 'c_1', '--yes')
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('no open conversation has the id c_1')])
  })
})
