import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { SWITCHES } from '../../src/emulator/model/assumptions.ts'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { call, control, CUSTOMER, get, send } from './support/api.ts'
import { startApp } from './support/app.ts'

const to = CUSTOMER

/** A template in Kiswahili, and what a send of it comes to. */
async function templateSent(emulator: Emulator, more: object, components?: unknown) {
  await emulator.templates.add({ name: 'hello', language: 'sw', body: 'Habari {{1}}', ...more })
  const { status, json } = await send(emulator, {
    to,
    type: 'template',
    template_name: 'hello',
    template_language: 'sw',
    template_components: components ?? [{ type: 'body', parameters: [{ type: 'text', text: 'Asha' }] }],
  })
  return status === 200 ? '200' : `${status} ${json.code ?? 'no code'}`
}

describe('an assumption', () => {
  it('is set by an option, by the control API and in process, and reads back', async () => {
    await using emulator = await createEmulator({ assumptions: { statusCase: 'upper' } })
    await emulator.customer(to).says('Habari')
    expect((await send(emulator, { to, text: 'x' })).json.status).toBe('SENT')
    const put = await control(emulator, 'PUT', 'assumptions', { statusCase: 'lower' })
    expect([put.status, put.json.statusCase]).toEqual([200, 'lower'])
    expect((await send(emulator, { to, text: 'x' })).json.status).toBe('sent')
    await emulator.assumptions.set({ validation: 'detail' })
    expect((await send(emulator, {})).json).toHaveProperty('detail')
    expect(await emulator.assumptions.get()).toMatchObject({ statusCase: 'lower', validation: 'detail' })
    await emulator.reset()
    expect(await emulator.assumptions.get()).toMatchObject({ statusCase: 'upper', validation: 'flat' })
  })

  it('accepts a send without Content-Type, or with another one, only with a switch [E GEN-16]', async () => {
    for (const [contentType, status] of [
      ['required', 422],
      ['ignored', 200],
    ] as const) {
      await using emulator = await createEmulator({ assumptions: { contentType } })
      await emulator.customer(to).says('Habari')
      for (const type of ['', 'text/plain', 'application/jsonp']) {
        const body = Buffer.from(JSON.stringify({ to, text: 'x' }))
        const sent = await call(emulator, 'POST', '/api/v2/messages', { body, headers: { 'Content-Type': type } })
        expect(sent.status, `${contentType}: ${type}`).toBe(status)
      }
      expect((await call(emulator, 'POST', '/api/v2/messages', { body: 'x=1' })).status).toBe(422)
    }
  })

  it('treats an empty optional header as absent, or refuses it [E GEN-16]', async () => {
    for (const name of ['Idempotency-Key', 'X-Phone-Number-Id']) {
      await using emulator = await createEmulator()
      await emulator.customer(to).says('Habari')
      const answer = () => send(emulator, { to, text: 'x' }, { [name]: '' })
      expect((await answer()).status, name).toBe(200)
      expect((await emulator.keys.list()).length, name).toBe(0)
      await emulator.assumptions.set({ emptyHeaders: 'refuse' })
      expect(await answer(), name).toMatchObject({ status: 422, json: { code: 'validation_error' } })
      await emulator.assumptions.set({ validation: 'detail' })
      expect((await answer()).json.detail[0].loc, name).toEqual(['header', name])
      expect((await send(emulator, { to, text: 'x' }, { [name]: '', Authorization: '' })).status, name).toBe(401)
    }
  })

  it('treats a redirect as a failed delivery, or as an accepted one, and never follows it [E GEN-16]', async () => {
    for (const [redirects, state] of [
      ['failed', 'pending'],
      ['taken', 'delivered'],
    ] as const) {
      await using app = await startApp()
      await using elsewhere = await startApp()
      app.answer = (response) => response.writeHead(307, { Location: elsewhere.url }).end()
      await using emulator = await createEmulator({ webhook: app.url, assumptions: { redirects } })
      await emulator.customer(to).says('Habari')
      await emulator.deliveries.wait(({ attempts }) => attempts.length === 1)
      expect(await emulator.deliveries.list()).toMatchObject([{ state, attempts: [{ status: 307 }] }])
      expect(elsewhere.received).toEqual([])
    }
  })

  it('about an unsynchronised template is that the upstream platform refuses it, with 502 [E TPL-05]', async () => {
    const outcome = async (more: object, components?: unknown) => {
      await using emulator = await createEmulator()
      const sent = await templateSent(emulator, { synchronised: false, ...more }, components)
      expect((await get(emulator, '/api/v2/templates')).json.items[0]).toMatchObject({
        sendable: true,
        unsendable_reason: null,
      })
      return sent
    }
    expect(await outcome({})).toBe('200')
    expect(await outcome({ status: 'REJECTED' })).toBe('502 send_failed')
    expect(await outcome({}, [])).toBe('502 send_failed')
    await using emulator = await createEmulator()
    expect(await templateSent(emulator, { status: 'REJECTED' })).toBe('400 invalid_template')
  })
})

describe('a choice of the emulator', () => {
  it('is that a body, title or id of an interactive message may be blank, and a text not [E SEND-06]', async () => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    const interactive = { type: 'buttons', body: ' ', buttons: [{ id: ' ', title: ' ' }] }
    expect((await send(emulator, { to, type: 'interactive', interactive })).status).toBe(200)
    expect((await send(emulator, { to, text: ' ' })).status).toBe(422)
  })

  it('is that approved_at is null until the first approval, and then stays [E TPL-08]', async () => {
    await using emulator = await createEmulator()
    const { id } = await emulator.templates.add({ name: 'hello', language: 'sw', body: 'Habari', status: 'PENDING' })
    const approvedAt = async () => (await get(emulator, '/api/v2/templates')).json.items[0].approved_at
    expect(await approvedAt()).toBeNull()
    await control(emulator, 'PATCH', `templates/${id}`, { status: 'APPROVED' })
    const first = await approvedAt()
    expect(first).toMatch(/Z$/)
    await emulator.clock.advance('1h')
    for (const status of ['PAUSED', 'APPROVED']) await control(emulator, 'PATCH', `templates/${id}`, { status })
    expect(await approvedAt()).toBe(first)
  })
})

it('the attempts at the same time follow a switch, even for an endpoint that had some before [E DEL-08]', async () => {
  let underWay = 0
  const post = () => new Promise<never>(() => void underWay++)
  await using emulator = await createEmulator({ webhook: 'http://127.0.0.1:9/nobody', internals: { post } })
  for (const attemptsAtOnce of [2, 3]) {
    await emulator.assumptions.set({ attemptsAtOnce })
    for (let n = 0; n < 5; n++) await emulator.customer(to).says('Bado upo?')
    expect(underWay).toBe(attemptsAtOnce)
  }
})

it('docs/emulator-behaviours.md has a row for each switch, with its readings, the default first [E GEN-16 IDEM-09]', () => {
  const page = readFileSync(new URL('../../docs/emulator-behaviours.md', import.meta.url), 'utf8')
  const rows = Object.entries(SWITCHES).map(
    ([name, { rule, about, ...more }]) => `${rule} | \`${name}\` | ${about} | ${readings(more)} |`,
  )
  const shown = page.split('\n').flatMap((line) => /^\| (\S+ \| `\w+` \| .*)/.exec(line)?.[1] ?? [])
  expect(shown).toEqual(rows)
})

function readings({ schema, usual }: { schema: z.ZodType; usual: unknown }): string {
  const values: readonly unknown[] = schema instanceof z.ZodEnum ? schema.options : [usual]
  return values.map((one) => `\`${JSON.stringify(one)}\``).join(', ')
}
