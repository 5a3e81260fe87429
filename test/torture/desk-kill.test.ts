import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createEmulator } from 'switchhook/emulator'
import type { Chat, QueuePage, QueueRow } from '../../src/features/people/desk/desk-api.ts'
import { temporaryFolder } from '../support/folder.ts'
import { isPostgres } from '../support/world-database.ts'

const CUSTOMERS = Array.from({ length: 12 }, (_, nth) => String(255712000101 + nth))
const textFor = (customer: string) => `An answer for ${customer}.`

it('two processes with a desk over one database send each answer once if one is killed while a person sends, and its customer waits or is answered at every moment', async () => {
  const emulator = await createEmulator({ assumptions: { keysRememberedFor: '24h' } })
  onTestFinished(() => emulator.close())
  const environment = {
    SWITCHHOOK_DATABASE: await databaseAddress(),
    SWITCHHOOK_BASE_URL: emulator.url,
    SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
    SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
  }
  const first = await launch(environment)
  const second = await launch(environment)
  await emulator.subscriptions.register({ url: `${second.url}/webhooks/messages`, secret: emulator.signingSecret })
  for (const customer of CUSTOMERS) await emulator.customer(customer).says('person')
  await expect.poll(async () => (await second.rows()).map(({ state }) => state)).toEqual(CUSTOMERS.map(() => 'waiting'))

  // Some answers are recorded, some are under way, some were accepted and their answer is lost.
  await emulator.faults.set([{ on: 'send', do: 'late_answer', next: 4 }])
  const writing = CUSTOMERS.map((customer) => first.write(customer).catch(() => undefined))
  await expect.poll(async () => (await sentTexts()).length).toBeGreaterThan(0)
  first.child.kill('SIGKILL')
  await Promise.all(writing)

  await expectWaitingOrAnswered()
  // The page of each person repeats the request under its key.
  const repeating = CUSTOMERS.map((customer) => second.write(customer))
  await expectWaitingOrAnswered()
  for (const answer of await Promise.all(repeating)) expect([200, 409]).toContain(answer)
  await expect
    .poll(async () => {
      await expectWaitingOrAnswered()
      return (await second.rows()).map(({ state }) => state)
    })
    .toEqual(CUSTOMERS.map(() => 'answered'))
  expect((await sentTexts()).map(String).toSorted()).toEqual(CUSTOMERS.map(textFor).toSorted())

  async function sentTexts(): Promise<(string | null)[]> {
    const threads = await Promise.all(CUSTOMERS.map((customer) => emulator.customer(customer).thread()))
    return threads.flat().flatMap((one) => (one.direction === 'OUTBOUND' && !one.refused ? [one.text] : []))
  }

  async function expectWaitingOrAnswered(): Promise<void> {
    const rows = await second.rows()
    const sent = await sentTexts()
    expect(rows).toHaveLength(CUSTOMERS.length)
    for (const { phone, state } of rows)
      expect([phone, state === 'waiting' || (state === 'answered' && sent.includes(textFor(phone)))]).toEqual([
        phone,
        true,
      ])
  }
})

async function databaseAddress(): Promise<string> {
  if (!isPostgres) return join(temporaryFolder(), 'switchhook.db')
  const { usedDatabase } = await import('../store/postgres-backend.ts')
  return (await usedDatabase()).url
}

async function launch(environment: Record<string, string>) {
  const child: ChildProcess = fork(join(import.meta.dirname, 'desk-bot.ts'), {
    execArgv: ['--conditions=switchhook-source'],
    env: { PATH: process.env['PATH'], ...environment },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  const headers = { 'x-who': 'neema', 'content-type': 'application/json', 'x-switchhook-admin': '1' }
  const ask = (path: string, body?: object) =>
    fetch(`${url}/desk/api/${path}`, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
  const rows = async (): Promise<readonly QueueRow[]> => {
    const answer = await ask('queue?list=recent')
    return ((await answer.json()) as QueuePage).rows.toSorted((a, b) => (a.phone < b.phone ? -1 : 1))
  }
  return {
    child,
    url,
    rows,
    /** The status of the answer. */
    async write(phone: string): Promise<number> {
      const customer = (await rows()).find((one) => one.phone === phone)?.customer
      const { seen } = (await (await ask('visit', { customer })).json()) as Chat
      const text = textFor(phone)
      return (await ask('act', { act: 'write', customer, key: `answer-${phone}`, seen, confirmed: true, text })).status
    },
  }
}
