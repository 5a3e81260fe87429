import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { arrived, control, CUSTOMER, openEmulator, send } from './support/api.ts'

const to = CUSTOMER
const key = { 'Idempotency-Key': 'order-7781-ready' }

interface Seen {
  readonly status: number | undefined
  readonly body: string
  /** How the connection ended, where it did not end well. */
  readonly error: string | undefined
}

/** A send that sees all that comes back, also of half an answer. */
function watched(emulator: Emulator, body: object, headers: Record<string, string> = {}): Promise<Seen> {
  return new Promise((resolve) => {
    let status: number | undefined
    let text = ''
    const end = (error?: string) => resolve({ status, body: text, error })
    const sent = request(`${emulator.url}/api/v2/messages`, {
      method: 'POST',
      agent: false,
      headers: { Authorization: `Bearer ${emulator.accessToken}`, 'Content-Type': 'application/json', ...headers },
    })
    sent.on('error', (error) => end(error.message))
    sent.on('response', (response) => {
      status = response.statusCode
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => end())
      response.on('error', (error) => end(error.message))
    })
    sent.end(JSON.stringify(body))
  })
}

/** A send that is given up as soon as the emulator has dealt with it; whether it ended before that. */
async function givenUp(
  emulator: Emulator,
  body: object,
  headers: Record<string, string>,
  dealtWith: () => Promise<boolean>,
) {
  const waiting = new AbortController()
  let ended = false
  const sent = fetch(`${emulator.url}/api/v2/messages`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${emulator.accessToken}`, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: waiting.signal,
  }).then(
    () => (ended = true),
    () => (ended = true),
  )
  while (!(await dealtWith())) await new Promise((resolve) => setImmediate(resolve))
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve))
  const endedByItself = ended
  waiting.abort()
  await sent
  return endedByItself
}

const rulesLeft = async (emulator: Emulator) => (await control(emulator, 'GET', 'faults')).json.rules

describe('a fault of a send', () => {
  it('cuts the connection before acceptance: nothing is sent, and the key is free [E IDEM-05]', async () => {
    await using emulator = await openEmulator()
    await emulator.faults.set([{ on: 'send', do: 'cut_before', next: 1 }])
    expect(await watched(emulator, { to, text: 'Karibu' }, key)).toMatchObject({
      status: undefined,
      error: 'socket hang up',
    })
    expect(await arrived(emulator)).toBe(0)
    const again = await send(emulator, { to, text: 'Karibu' }, key)
    expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([200, null])
  })

  it('never answers: before acceptance nothing is sent, after it the message is on the phone', async () => {
    await using emulator = await openEmulator()
    const spent = async () => (await rulesLeft(emulator)).length === 0
    await emulator.faults.set([{ on: 'send', do: 'time_out', next: 1 }])
    expect(await givenUp(emulator, { to, text: 'Karibu' }, key, spent)).toBe(false)
    expect(await arrived(emulator)).toBe(0)
    await emulator.faults.set([{ on: 'send', do: 'late_answer', next: 1 }])
    expect(await givenUp(emulator, { to, text: 'Karibu' }, key, spent)).toBe(false)
    expect(await arrived(emulator)).toBe(1)
    expect((await send(emulator, { to, text: 'Karibu' }, key)).headers.get('Idempotency-Replayed')).toBe('true')
  })

  it('cuts the connection after acceptance: the message is on the phone, and the key replays it [E IDEM-03]', async () => {
    await using emulator = await openEmulator()
    await emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
    expect((await watched(emulator, { to, text: 'Karibu' }, key)).error).toBe('socket hang up')
    expect(await arrived(emulator)).toBe(1)
    expect((await send(emulator, { to, text: 'Karibu' }, key)).headers.get('Idempotency-Replayed')).toBe('true')
  })

  it('reports that the fault was armed [E ERR-01]', async () => {
    await using emulator = await openEmulator()
    await emulator.faults.set([{ on: 'send', do: 'status', status: 500, next: 1 }])
    expect((await send(emulator, { to, text: 'Karibu' })).json.message).toBe(
      'The emulator gives this answer on purpose: you armed `status`.',
    )
  })

  it('answers 200 with something that is not a Message', async () => {
    await using emulator = await openEmulator()
    await emulator.faults.set([{ on: 'send', do: 'unreadable_answer', next: 1 }])
    const unreadable = await watched(emulator, { to, text: 'Karibu' }, key)
    expect(unreadable.status).toBe(200)
    expect(() => JSON.parse(unreadable.body)).toThrow()
    expect(await arrived(emulator)).toBe(1)
    expect((await send(emulator, { to, text: 'Karibu' }, key)).json.id).toEqual(expect.any(String))
  })

  it('never closes the window for a template [E GEN-05]', async () => {
    await using emulator = await openEmulator()
    await emulator.templates.add({ name: 'welcome', language: 'sw', body: 'Karibu' })
    await emulator.faults.set([{ on: 'send', do: 'status', code: 'outside_messaging_window' }])
    expect((await send(emulator, { to, text: 'Karibu' })).json.code).toBe('outside_messaging_window')
    const template = { to, type: 'template', template_name: 'welcome', template_language: 'sw' }
    expect((await send(emulator, template)).status).toBe(200)
  })

  it('keeps its count if the send is refused or does not match', async () => {
    await using emulator = await createEmulator()
    for (const fault of ['lose_answer', 'late_answer', 'unreadable_answer']) {
      await emulator.faults.set([{ on: 'send', do: fault, next: 1 }])
      expect((await send(emulator, { to, text: 'x' }, key)).status, fault).toBe(409)
      expect((await send(emulator, { text: 'x' }, key)).status, fault).toBe(422)
      expect((await rulesLeft(emulator))[0].next, fault).toBe(1)
    }
  })
})
