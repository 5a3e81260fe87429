import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { control, CUSTOMER, send } from './support/api.ts'

const to = CUSTOMER

async function explained(emulator: Emulator, question: object) {
  const { status, json } = await control(emulator, 'POST', 'explain', question)
  expect(status).toBe(200)
  return json
}

const firstFailing = (answer: { checks: { check: string; passed: boolean | null }[] }) =>
  answer.checks.find(({ passed }) => passed === false)?.check

describe('explain', () => {
  it('lists the checks of a send in order, the first that fails, the API’s answer, and whether a retry helps', async () => {
    await using emulator = await createEmulator()
    const answer = await explained(emulator, { send: { to, text: 'Karibu' } })
    expect(answer.accepted).toBe(false)
    const passed = answer.checks.map((it: { check: string; passed: boolean | null }) => [it.check, it.passed])
    expect(passed).toEqual([
      ['token', true],
      ['suspension', true],
      ['plan', true],
      ['number', true],
      ['body', true],
      ['fault', true],
      ['key', true],
      ['contact_limit', true],
      ['window', false],
      ['template', null],
      ['parameters', null],
      ['upstream', null],
    ])
    for (const { asks, rule } of answer.checks)
      expect([asks, rule]).toEqual([expect.any(String), expect.stringMatching(/^[A-Z]+-\d+$/)])
    expect(answer.retry.helps).toBe(false)
    const actual = await send(emulator, { to, text: 'Karibu' })
    expect(answer.answer).toEqual({ status: actual.status, body: actual.json })
  })

  it('agrees with the API’s answer, whatever is wrong', async () => {
    await using emulator = await createEmulator()
    await emulator.templates.add({ name: 'hello', language: 'sw', body: 'Habari {{1}}' })
    await emulator.templates.add({ name: 'paused', language: 'sw', body: 'x', status: 'PAUSED' })
    await emulator.templates.add({ name: 'code', language: 'sw', category: 'AUTHENTICATION' })
    const template = (name: string, more: object = {}) => ({
      to,
      type: 'template',
      template_name: name,
      template_language: 'sw',
      ...more,
    })
    const wrong: [string, object][] = [
      ['body', { to, text: '' }],
      ['body', { to: '+255712000101', text: 'x' }],
      ['window', { to, text: 'x' }],
      ['template', template('nothing')],
      ['template', template('hello', { template_language: 'en' })],
      ['template', template('paused')],
      ['parameters', template('hello')],
      ['parameters', template('code')],
    ]
    for (const [check, body] of wrong) {
      const answer = await explained(emulator, { send: body })
      const actual = await send(emulator, body)
      expect([firstFailing(answer), answer.answer], JSON.stringify(body)).toEqual([
        check,
        { status: actual.status, body: actual.json },
      ])
    }
    await emulator.customer(to).says('Habari')
    const media = { to, type: 'image', media_url: 'https://localhost/1' }
    expect(firstFailing(await explained(emulator, { send: media }))).toBe('upstream')
    expect(await explained(emulator, { send: { to, text: 'x' } })).toMatchObject({
      accepted: true,
      answer: { status: 200 },
    })
  })

  it('goes through token, account and number as well', async () => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    const body = { to, text: 'x' }
    const failing = async (more: object = {}) => {
      const answer = await explained(emulator, { send: body, ...more })
      return [firstFailing(answer), answer.answer?.body?.code]
    }
    expect(await failing({ accessToken: 'wrong' })).toEqual(['token', 'not_authenticated'])
    expect(await failing({ phoneNumberId: '1' })).toEqual(['number', 'number_not_for_token'])
    await emulator.account.set({ plan: { api: false } })
    expect(await failing()).toEqual(['plan', 'plan_feature_locked'])
    await emulator.account.set({ suspended: true })
    expect(await failing()).toEqual(['suspension', 'account_suspended'])
    await emulator.account.set({ suspended: false, plan: { api: true, contactLimit: 0 } })
    expect(await failing()).toEqual([undefined, undefined])
    expect((await explained(emulator, { send: { ...body, to: '254700000102' } })).answer.body.code).toBe(
      'plan_limit_reached',
    )
  })

  it('tells what a key and what a fault would do', async () => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    const question = { send: { to, text: 'x' }, idempotencyKey: 'k' }
    await send(emulator, question.send, { 'Idempotency-Key': 'k' })
    const replay = await explained(emulator, question)
    expect([replay.accepted, replay.notes[0]]).toEqual([true, expect.stringContaining('replayed')])
    const reused = await explained(emulator, { ...question, send: { to, text: 'y' } })
    expect([firstFailing(reused), reused.answer.body.code]).toEqual(['key', 'idempotency_key_reused'])

    await emulator.faults.set([{ on: 'send', do: 'status', status: 429, next: 1 }])
    const limited = await explained(emulator, { send: { to, text: 'x' } })
    expect(limited).toMatchObject({ accepted: false, answer: { status: 429 }, retry: { helps: true } })
    expect(firstFailing(limited)).toBe('fault')
    await emulator.faults.set([{ on: 'send', do: 'time_out', next: 1 }])
    expect(await explained(emulator, { send: { to, text: 'x' } })).toMatchObject({ accepted: false, answer: null })
    await emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
    expect(await explained(emulator, { send: { to, text: 'x' } })).toMatchObject({
      accepted: true,
      notes: [expect.stringContaining('accepted')],
    })
  })

  it('changes nothing: no message, no key, no charge of a fault, no contact, no turn', async () => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    await emulator.templates.add({ name: 'hello', language: 'sw', body: 'Habari' })
    await emulator.faults.set([
      { on: 'send', do: 'lose_answer', next: 1 },
      { on: 'send', do: 'lose_answer', every: 2, to: '254700000102' },
    ])
    const paths = [`customers/${to}/thread`, 'customers/254700000102/thread', 'keys', 'faults', 'account', 'deliveries']
    const all = async () =>
      (await Promise.all(paths.map((path) => control(emulator, 'GET', path)))).map(({ text }) => text)
    const before = await all()
    await explained(emulator, { send: { to, text: 'x' }, idempotencyKey: 'k' })
    await explained(emulator, {
      send: { to: '254700000102', type: 'template', template_name: 'hello', template_language: 'sw' },
      idempotencyKey: 'k2',
    })
    await explained(emulator, { send: { to: '254700000103', text: 'x' } })
    expect(await all()).toEqual(before)
  })

  it('refuses a question that is none', async () => {
    await using emulator = await createEmulator()
    for (const question of [{}, { send: 'x' }, { send: [] }, { send: {}, key: 'x' }])
      expect(await control(emulator, 'POST', 'explain', question)).toMatchObject({
        status: 400,
        json: { code: 'invalid_request' },
      })
  })
})
