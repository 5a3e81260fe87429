import { describe, expect, it } from 'vitest'
import { item, send, T0 } from '../../store/samples.ts'
import { alone, inboxFolder } from './inbox-support.ts'

const { inbox, came, inApp } = inboxFolder()

const ASHA = '255712000101'
const JUMA = '255712000102'

function facts(customer: string, text: string): string {
  return JSON.stringify({ values: { customer, text }, sure: ['customer'] })
}

/** A message of each, a batch of both, and a send to each. */
async function chat(): Promise<void> {
  await came([item({ customer: ASHA, facts: facts(ASHA, 'habari <b>') })], { text: 'habari <b>' })
  await came([alone({ customer: JUMA, facts: facts(JUMA, 'juma says') })], { text: 'juma says' })
  await came(
    [
      alone({ customer: ASHA, facts: facts(ASHA, 'in a batch') }),
      alone({ idx: 1, customer: JUMA, facts: facts(JUMA, 'juma too') }),
    ],
    { text: 'in a batch, and juma too' },
  )
  await inApp(async (store) => {
    await store.openSend(send({ customer: ASHA, body: '{"text":"karibu"}' }))
    await store.optOut({ number: 'default', customer: ASHA, at: T0, how: 'message' })
    await store.openSend(send({ customer: JUMA, body: '{"text":"to juma"}' }))
  })
}

describe('switchhook inbox export --customer', () => {
  it('writes everything stored about one customer as JSON, and no bytes of a batch, which others wrote too', async () => {
    await chat()
    const { code, stdout, stderr } = await inbox('export', '--customer', ASHA)
    expect([code, stderr]).toEqual([0, ''])
    const record = JSON.parse(stdout) as { received: Record<string, unknown>[]; sent: unknown[] }
    expect(record).toMatchObject({
      customer: ASHA,
      received: [
        { items: [{ customer: ASHA, facts: { text: 'habari <b>' } }], body: { text: 'habari <b>' } },
        { items: [{ customer: ASHA, facts: { text: 'in a batch' } }] },
      ],
      sent: [{ state: 'ready', body: { text: 'karibu' }, statuses: [] }],
      optOuts: [{ number: 'default', state: 'out', at: new Date(T0).toISOString(), how: 'message' }],
      unread: 0,
    })
    expect(record.received[1]).not.toHaveProperty('body')
    expect(stdout).not.toContain('juma')
    expect(stdout).not.toContain(JUMA)
  })

  it('refuses flags that would leave something out', async () => {
    await chat()
    expect((await inbox('export', '--customer', ASHA, '--since', '1d')).code).toBe(2)
  })
})
