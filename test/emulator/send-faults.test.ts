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

  it('cuts the connection after acceptance: by a close, by a reset, in the middle of the answer [E IDEM-03]', async () => {
    await using emulator = await openEmulator()
    let count = 0
    const ends = { lose_answer: 'socket hang up', cut_after: 'read ECONNRESET', half_answer: 'aborted' }
    for (const [fault, end] of Object.entries(ends)) {
      const body = { to, text: fault }
      const own = { 'Idempotency-Key': fault }
      await emulator.faults.set([{ on: 'send', do: fault, next: 1 }])
      const seen = await watched(emulator, body, own)
      expect(seen.error, fault).toBe(end)
      expect(seen.status, fault).toBe(fault === 'half_answer' ? 200 : undefined)
      expect(await arrived(emulator), fault).toBe(++count)
      const again = await send(emulator, body, own)
      expect(again.headers.get('Idempotency-Replayed'), fault).toBe('true')
      if (fault !== 'half_answer') continue
      expect(seen.body.length).toBeGreaterThan(10)
      expect(again.text.startsWith(seen.body)).toBe(true)
      expect(seen.body.length).toBeLessThan(again.text.length)
    }
  })

  it('reports that the fault was armed [E ERR-01]', async () => {
    await using emulator = await openEmulator()
    await emulator.faults.set([{ on: 'send', do: 'status', status: 500, next: 1 }])
    expect((await send(emulator, { to, text: 'Karibu' })).json.message).toBe(
      'The emulator gives this answer on purpose: you armed `status`.',
    )
  })

  it('answers 200 with something that is not a Message, as the rule says', async () => {
    await using emulator = await openEmulator()
    await emulator.faults.set([{ on: 'send', do: 'unreadable_answer', next: 1 }])
    const unreadable = await watched(emulator, { to, text: 'Karibu' }, key)
    expect(unreadable.status).toBe(200)
    expect(() => JSON.parse(unreadable.body)).toThrow()
    await emulator.faults.set([{ on: 'send', do: 'unreadable_answer', answer: '{"status":"sent"}', next: 1 }])
    expect(await watched(emulator, { to, text: 'Karibu' }, key)).toMatchObject({
      status: 200,
      body: '{"status":"sent"}',
    })
    expect(await arrived(emulator)).toBe(1)
    expect((await send(emulator, { to, text: 'Karibu' }, key)).json.id).toEqual(expect.any(String))
  })

  it('holds a key in flight for a number of repeats, then replays the one message [E IDEM-02]', async () => {
    await using emulator = await openEmulator()
    await emulator.faults.set([{ on: 'send', do: 'hold_key', answers: 2, next: 1 }])
    expect((await watched(emulator, { to, text: 'Karibu' }, key)).error).toBe('socket hang up')
    const reused = await send(emulator, { to, text: 'Kwaheri' }, key)
    expect(reused.json.code).toBe('idempotency_key_reused')
    for (let n = 0; n < 2; n++)
      expect(await send(emulator, { to, text: 'Karibu' }, key)).toMatchObject({
        status: 409,
        json: { code: 'idempotency_in_progress' },
      })
    const replayed = await send(emulator, { to, text: 'Karibu' }, key)
    expect([replayed.status, replayed.headers.get('Idempotency-Replayed')]).toEqual([200, 'true'])
    expect(await arrived(emulator)).toBe(1)
  })

  it('holds a key until it is released, and shows it meanwhile [E IDEM-02]', async () => {
    await using emulator = await openEmulator()
    await emulator.faults.set([{ on: 'send', do: 'hold_key', next: 1 }])
    expect((await send(emulator, { to, text: 'no key' })).status).toBe(200)
    expect(await rulesLeft(emulator)).toHaveLength(1)
    await watched(emulator, { to, text: 'Karibu' }, key)
    for (let n = 0; n < 30; n++)
      expect((await send(emulator, { to, text: 'Karibu' }, key)).json.code).toBe('idempotency_in_progress')
    expect((await control(emulator, 'GET', 'keys')).json).toEqual({
      items: [{ number: emulator.phoneNumberId, key: 'order-7781-ready', state: 'in_flight', held: null }],
    })
    expect((await control(emulator, 'POST', 'keys/release', { key: 'another' })).json).toEqual({ released: 0 })
    expect((await control(emulator, 'POST', 'keys/release')).json).toEqual({ released: 1 })
    expect((await send(emulator, { to, text: 'Karibu' }, key)).headers.get('Idempotency-Replayed')).toBe('true')
    expect((await emulator.keys.list())[0]?.state).toBe('settled')
  })

  it('forgets a key with its answer, so that the repeat sends a second message [E IDEM-05]', async () => {
    await using emulator = await openEmulator()
    await emulator.faults.set([{ on: 'send', do: 'forget_key', next: 1 }])
    expect((await watched(emulator, { to, text: 'Karibu' }, key)).error).toBe('socket hang up')
    const again = await send(emulator, { to, text: 'Karibu' }, key)
    expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([200, null])
    expect(await arrived(emulator)).toBe(2)
    expect((await control(emulator, 'POST', 'keys/forget', {})).json).toEqual({ forgotten: 1 })
    await send(emulator, { to, text: 'Karibu' }, key)
    expect(await arrived(emulator)).toBe(3)
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
    for (const fault of ['cut_after', 'late_answer', 'half_answer', 'unreadable_answer', 'hold_key', 'forget_key']) {
      await emulator.faults.set([{ on: 'send', do: fault, next: 1 }])
      expect((await send(emulator, { to, text: 'x' }, key)).status, fault).toBe(409)
      expect((await send(emulator, { text: 'x' }, key)).status, fault).toBe(422)
      expect((await rulesLeft(emulator))[0].next, fault).toBe(1)
    }
  })
})

describe('a handset with a fixed fate', () => {
  it('is never reached by a message, or only by its failure and the reason [E SEND-24]', async () => {
    await using emulator = await createEmulator({ webhook: 'http://127.0.0.1:9/none', seed: 3 })
    const fate = async (recipient: string) => {
      await emulator.customer(recipient).says('Habari')
      await send(emulator, { to: recipient, text: 'x' })
      await emulator.clock.advance('1s')
      return (await emulator.customer(recipient).thread()).at(-1)?.status
    }
    expect(await fate(to)).toBe('delivered')
    expect(await fate('999000000601')).toBe('sent')
    expect(await fate('999000000602')).toBe('failed')
    const failure = await emulator.deliveries.wait(
      ({ customer, attempts }) =>
        customer === '999000000602' && attempts.some(({ request }) => /"status":"failed"/i.test(request.body)),
    )
    expect(failure.attempts[0]?.request.body).toMatch(/"failure_reason":"\w/)
  })
})
