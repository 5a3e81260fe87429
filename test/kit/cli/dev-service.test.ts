import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Conversation, openConversation } from '../../../src/kit/cli/dev/terminal.ts'
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts'
import { freePort } from '../../support/free-port.ts'
import { ASHA, JUMA } from '../../support/people.ts'

const FIRST = '109871234500011'
const SECOND = '109871234500012'

let emulator: Emulator
let talk: Conversation
let lines: string[]

beforeEach(async () => {
  emulator = await createEmulator({
    webhook: `http://127.0.0.1:${await freePort()}/`,
    now: new Date('2026-03-04T09:00:00Z'),
  })
  lines = []
  const print = (line: string) => lines.push(line)
  talk = openConversation(emulator, { customer: ASHA, numbers: [FIRST, SECOND], addresses: [], print })
})
afterEach(() => emulator.close())

/** What the terminal prints for a typed line. */
async function printed(line: string): Promise<string> {
  lines.splice(0)
  await talk.handleLine(line)
  return lines.join('\n')
}

async function send(): Promise<number | string> {
  const headers = {
    authorization: `Bearer ${emulator.accessToken}`,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  }
  const body = JSON.stringify({ to: ASHA, type: 'text', text: 'hello' })
  return fetch(`${emulator.url}/api/v2/messages`, { method: 'POST', headers, body }).then(
    ({ status }) => status,
    () => 'no answer',
  )
}

describe('/fault', () => {
  it('breaks the next send, once, and leaves the armed faults', async () => {
    await talk.handleLine('hello')
    expect(await printed('/fault lose_answer')).toBe('  ON    DO           MEMBERS\n  send  lose_answer  next: 1')
    expect(await printed('/fault 503 next=2')).toMatch(
      /lose_answer {2}next: 1\n {2}send {2}status {7}status: 503, next: 2$/,
    )
    expect([await send(), await send(), await send(), await send()]).toEqual(['no answer', 503, 503, 200])
    const sent = (await emulator.customer(ASHA).thread()).filter(({ status }) => status !== null)
    expect(sent).toHaveLength(2)
  })

  it('ends all faults with off, and lists the armed ones and all that there are', async () => {
    await talk.handleLine('/fault delivery lose_answer every=2')
    const listed = await printed('/fault')
    expect(listed).toContain('  delivery  lose_answer  every: 2\n  Faults of a send:')
    expect(listed).toMatch(/\n {4}duplicate {10}the first attempt is made twice/)
    expect(await printed('/fault off')).toBe('  No fault is armed.')
    expect(await printed('/fault')).toMatch(/^ {2}No fault is armed\.\n {2}Faults of a send:/)
  })

  it.for([
    ['/fault lose_anser', '"lose_anser" is not a fault: is lose_answer meant?'],
    ['/fault send duplicate', '"duplicate" is not a fault: status, cut_before'],
    ['/fault toString', '"toString" is not a fault'],
    ['/fault 418', "status: must be a status of the service's errors"],
    ['/fault late next', 'expected a member of the fault, such as next=2, got "next"'],
    ['/fault late by=soon', 'by: must be a span'],
    ['/fault late next=soon', 'next: Invalid input'],
    ['/fault late next=1 every=2', 'every: every and next exclude each other'],
    ['/fault late on=send', 'expected a member of the fault'],
  ] as const)('%s arms nothing, and says what is wrong', async ([line, message]) => {
    await expect(talk.handleLine(line)).rejects.toThrow(message)
    expect(await printed('/fault off')).toBe('  No fault is armed.')
  })
})

describe('/window', () => {
  it('tells how long the customer gets free text from the number', async () => {
    expect(await printed('/window')).toBe('  The window is closed: only templates arrive until you write.')
    await talk.handleLine('hello')
    await emulator.clock.advance('23h')
    expect(await printed('/window')).toMatch(
      /^ {2}The window is open for (1h|59m \d+s|58m \d+s): free text arrives until 2026-03-05T09:0\d:\d\d\.\d{3}Z\.$/,
    )
    await talk.handleLine('/clock 1h')
    expect(await printed('/window')).toContain('is closed')
  })

  it('is that of the number to which the customer writes', async () => {
    await emulator.account.set({ numbers: [{ id: FIRST }, { id: SECOND, accessToken: 'wholesale' }] })
    await talk.handleLine(`/number ${SECOND}`)
    await talk.handleLine('hello')
    expect(await printed('/window')).toContain('is open')
    await talk.handleLine(`/number ${FIRST}`)
    expect(await printed('/window')).toContain('is closed')
  })
})

it('/templates lists the templates with their texts, and why one cannot be sent', async () => {
  expect(await printed('/templates')).toBe('  There are no templates; dev --templates FILE adds some.')
  await emulator.templates.add({ name: 'order_ready', language: 'sw', body: 'Oda {{1}} iko\u001B[2J tayari' })
  await emulator.templates.add({ name: 'pickup', language: 'en', body: 'Here', status: 'PENDING' })
  const [, pickup, ready] = (await printed('/templates')).split('\n')
  expect(pickup).toMatch(/^ {2}pickup +en +The template is still in review\. +Here$/)
  expect(ready).toMatch(/^ {2}order_ready +sw +sendable +Oda \{\{1\}\} iko\\u001b\[2J tayari$/)
})

it('/who lists the customers, with the one that you are and their windows', async () => {
  expect(await printed('/who')).toBe(`  CUSTOMER            MESSAGES  WINDOW\n  ${ASHA} (you)  0         closed`)
  await emulator.customer(JUMA).says('hi')
  expect(await printed('/who')).toMatch(new RegExp(`\\n {2}${ASHA} \\(you\\) +0 +closed\\n {2}${JUMA} +1 +open for `))
  await talk.handleLine(`/as ${JUMA}`)
  expect(await printed('/who')).toMatch(new RegExp(`\\n {2}${JUMA} \\(you\\) +1 +open for `))
})
