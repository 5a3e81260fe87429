import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { control, CUSTOMER, get, send } from './support/api.ts'

const to = CUSTOMER
const SECOND = '109871234500012'

async function change(emulator: Emulator, body: object) {
  const answer = await control(emulator, 'PUT', 'account', body)
  expect(answer.status, JSON.stringify(answer.json)).toBe(200)
  return answer.json
}

/** An emulator whose one token is held by two numbers. */
async function withTwoNumbers(): Promise<Emulator> {
  const emulator = await createEmulator()
  await change(emulator, { numbers: [{ id: emulator.phoneNumberId }, { id: SECOND }] })
  return emulator
}

const by = (number: string) => ({ 'X-Phone-Number-Id': number })

/** Both endpoints: what holds for every call holds for these. */
async function onEveryCall(emulator: Emulator, headers: Record<string, string> = {}) {
  const answers = [await send(emulator, { to, text: 'x' }, headers), await get(emulator, '/api/v2/templates', headers)]
  return answers.map(({ status, json }) => [status, json.code])
}

const twice = <T>(value: T) => [value, value]

describe('the account', () => {
  it('rotates a token at once: the old one is not authenticated, the new one is [E AUTH-02]', async () => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    const old = { Authorization: `Bearer ${emulator.accessToken}` }
    const unknown = await send(emulator, { to, text: 'x' }, { Authorization: 'Bearer never-heard-of' })
    const { numbers } = await change(emulator, { rotate: true })
    expect(numbers[0].accessToken).toBe(emulator.accessToken)
    expect(old.Authorization).not.toContain(emulator.accessToken)
    expect(await onEveryCall(emulator, old)).toEqual(twice([401, 'not_authenticated']))
    expect((await send(emulator, { to, text: 'x' }, old)).text).toBe(unknown.text)
    expect((await send(emulator, { to, text: 'x' })).status).toBe(200)
  })

  it('answers 402 plan_feature_locked on every call if the plan lacks the API [E AUTH-04]', async () => {
    await using emulator = await createEmulator()
    await change(emulator, { plan: { api: false } })
    expect(await onEveryCall(emulator)).toEqual(twice([402, 'plan_feature_locked']))
    await change(emulator, { plan: { api: true } })
    expect((await get(emulator, '/api/v2/templates')).status).toBe(200)
  })

  it('answers 403 account_suspended while the workspace is suspended [E AUTH-06]', async () => {
    await using emulator = await createEmulator()
    await change(emulator, { suspended: true })
    expect(await onEveryCall(emulator)).toEqual(twice([403, 'account_suspended']))
    await change(emulator, { suspended: false })
    expect((await get(emulator, '/api/v2/templates')).status).toBe(200)
  })

  it('asks for the number’s id if several share the token, lists them, and gives them the same new one [E AUTH-02 AUTH-05 SEND-19]', async () => {
    await using emulator = await withTwoNumbers()
    const ids = [emulator.phoneNumberId, SECOND]
    for (const answer of [await send(emulator, { to, text: 'x' }), await get(emulator, '/api/v2/templates')]) {
      expect([answer.status, answer.json.code]).toEqual([400, 'ambiguous_number'])
      expect(answer.json.phone_number_ids).toEqual(ids)
    }
    expect(await onEveryCall(emulator, by('1'))).toEqual(twice([403, 'number_not_for_token']))
    for (const id of ids) expect((await get(emulator, '/api/v2/templates', by(id))).status).toBe(200)
    const { numbers } = await change(emulator, { rotate: SECOND })
    expect(numbers[0].accessToken).toBe(numbers[1].accessToken)
  })

  it('separates window, templates and keys of two numbers [E GEN-03]', async () => {
    await using emulator = await withTwoNumbers()
    const [one, two] = [by(emulator.phoneNumberId), by(SECOND)]
    await emulator.customer(to, { number: SECOND }).says('Habari')
    expect((await send(emulator, { to, text: 'x' }, one)).json.code).toBe('outside_messaging_window')
    expect((await send(emulator, { to, text: 'x' }, two)).status).toBe(200)

    await emulator.templates.add({ name: 'hello', language: 'sw', body: 'Habari', number: SECOND })
    const template = { to, type: 'template', template_name: 'hello', template_language: 'sw' }
    expect((await send(emulator, template, one)).json.code).toBe('template_not_found')
    expect((await send(emulator, template, two)).status).toBe(200)
    expect((await get(emulator, '/api/v2/templates', one)).json.items).toEqual([])
    expect((await get(emulator, '/api/v2/templates', two)).json.items).toHaveLength(1)

    await emulator.customer(to).says('Habari')
    const key = { 'Idempotency-Key': 'k' }
    const first = await send(emulator, { to, text: 'x' }, { ...one, ...key })
    const second = await send(emulator, { to, text: 'other' }, { ...two, ...key })
    expect([first.status, second.status]).toEqual([200, 200])
    const numbers = (await emulator.customer(to).thread()).map(({ number }) => number)
    expect(numbers).toEqual([SECOND, undefined, SECOND, undefined, SECOND, undefined, undefined, SECOND])
  })

  it('answers 402 plan_limit_reached for a new customer beyond the limit, and serves known ones [E SEND-20]', async () => {
    await using emulator = await createEmulator()
    await emulator.templates.add({ name: 'hello', language: 'sw', body: 'Habari' })
    const sent = async (recipient: string) => {
      const template = { type: 'template', template_name: 'hello', template_language: 'sw' }
      const { status, json } = await send(emulator, { to: recipient, ...template })
      return status === 200 ? 200 : `${status} ${json.code}`
    }
    await emulator.customer('255712000101').says('Habari')
    await change(emulator, { plan: { contactLimit: 2 } })
    expect(await sent('255712000102')).toBe(200)
    expect(await sent('255712000103')).toBe('402 plan_limit_reached')
    expect(await sent('255712000101')).toBe(200)
    expect(await sent('255712000102')).toBe(200)
    expect((await control(emulator, 'GET', 'account')).json.contacts).toBe(2)
    await change(emulator, { plan: { contactLimit: null } })
    expect(await sent('255712000103')).toBe(200)
  })

  it('answers 502 send_failed if the number is not connected [E SEND-21]', async () => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    await change(emulator, { numbers: [{ id: emulator.phoneNumberId, connected: false }] })
    const refused = await send(emulator, { to, text: 'x' })
    expect([refused.status, refused.json]).toEqual([
      502,
      { code: 'send_failed', message: expect.stringContaining('not connected') },
    ])
  })

  it('shows masked tokens, and whole ones only in the answer to a change', async () => {
    await using emulator = await createEmulator({ token: 'token_of_the_first_number_0123456789' })
    const shown = await control(emulator, 'GET', 'account')
    expect(shown.json).toMatchObject({
      plan: { api: true, contactLimit: null },
      suspended: false,
      contacts: 0,
      numbers: [{ id: emulator.phoneNumberId, connected: true, tokenPreview: 'token_…6789' }],
    })
    expect(shown.text).not.toContain(emulator.accessToken)
    expect((await change(emulator, {})).numbers[0].accessToken).toBe(emulator.accessToken)
  })
})
