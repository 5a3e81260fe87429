import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator/emulator.ts'
import { parseBody, readBody } from '../../../src/bot/inbox/payload/read-body.ts'
import { pathsOf } from '../../../src/view/fact-paths.ts'
import { shapeOf } from '../../../src/bot/inbox/payload/shape.ts'
import { databaseFolder } from './database-folder.ts'
import { delivery, unclear } from '../../store/samples.ts'
import { switchhook } from './support.ts'

const { folder, inApp } = databaseFolder()
const run = (...args: string[]) => switchhook(['payload', 'export', ...args], {}, folder())
const NAMES = /^[\w.]+-[a-z_]+-[a-z]{12}\.json$/

const file = new URL('../../vectors/payloads.json', import.meta.url)
const { payloads } = JSON.parse(readFileSync(file, 'utf8')) as {
  payloads: { name: string; event: string; body: string; want: Record<string, unknown> }[]
}

const came = (...bodies: readonly { event?: string; json: unknown }[]) =>
  inApp(async (store) => {
    await store.secret('taps')
    for (const { event = 'message.received', json } of bodies)
      await store.accept(delivery({ event, body: Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)) }))
  })

interface Fixture {
  event: string
  facts?: Record<string, string>
  payload: Record<string, unknown>
}

function fixtures(out = 'fixtures'): Map<string, Fixture> {
  const names = readdirSync(join(folder(), out)).sort()
  return new Map(names.map((name) => [name, JSON.parse(readFileSync(join(folder(), out, name), 'utf8')) as Fixture]))
}

const at = (value: unknown, path: string) =>
  path
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .reduce<unknown>((holder, step) => (holder as Record<string, unknown>)[step], value)

describe('switchhook payload export', () => {
  it('writes one fixture of each shape, kind and status, with the paths of its facts [R EVT-09]', async () => {
    const text = (content: string) => ({ data: { id: 'm-1', from: '255712000101', type: 'text', content } })
    const status = (name: string) => ({
      event: 'message.status',
      json: { message_id: 'm', to: '255712000101', status: name },
    })
    await came({ json: text('habari') }, { json: text('nyingine') }, status('SENT'), status('read'), status('READ'))
    const { code, stderr, stdout } = await run()
    expect([code, stdout, stderr]).toEqual([0, '', '3 fixtures in ./fixtures, under pseudonyms.\n'])
    const written = fixtures()
    for (const name of written.keys()) expect(name).toMatch(NAMES)
    expect([...written.keys()].map((name) => name.slice(0, -18))).toEqual([
      'message.received-text',
      'message.status-read',
      'message.status-sent',
    ])
    expect([...written.values()][0]).toEqual({
      event: 'message.received',
      facts: { messageId: 'data.id', customer: 'data.from', kind: 'data.type', text: 'data.content' },
      payload: {
        data: {
          id: expect.stringMatching(/^[a-z]-\d$/) as string,
          from: expect.stringMatching(/^25500\d{7}$|^255\d{9}$/) as string,
          type: 'text',
          // The latest of its shape.
          content: expect.stringMatching(/^[a-z]{8}$/) as string,
        },
      },
    })
    expect(statSync(join(folder(), 'fixtures', [...written.keys()][0] ?? '')).mode & 0o777).toBe(0o600)
  })

  it('replaces identifying data consistently in all files, and leaves shapes and facts unchanged [R EVT-09]', async () => {
    await came(...payloads.map(({ event, body }) => ({ event, json: body })))
    expect((await run()).code).toBe(0)
    const written = [...fixtures().values()]
    const originals = payloads.flatMap(({ event, body }) => {
      const parsed = parseBody(Buffer.from(body))
      return 'json' in parsed ? [{ event, payload: parsed.json }] : []
    })
    expect(written.length).toBe(originals.length)
    const shapes = (all: readonly { event: string; payload: Record<string, unknown> }[]) =>
      all.map(({ event, payload }) => `${event} ${shapeOf(payload).fingerprint}`).sort()
    expect(shapes(written)).toEqual(shapes(originals))
    const text = JSON.stringify(written)
    for (const one of payloads.flatMap(({ want }) => Object.values(want)))
      if (typeof one === 'string' && /\d{6}| /.test(one) && !/^\d{4}-/.test(one)) expect(text).not.toContain(one)
    // Our own number's id stands in many of them.
    const ids = written.flatMap(({ facts = {}, payload }) =>
      'numberId' in facts ? [at(payload, facts['numberId'])] : [],
    )
    expect([ids.length > 3, new Set(ids).size]).toEqual([true, 1])
  })

  it('exports nothing personal, at whatever place of a body [R EVT-09]', async () => {
    const canary = { number: '255744123456', name: 'Neema Massawe', text: 'naumwa sana', id: 'wamid.CANARYkWz' }
    const all = Object.values(canary)
    const json = {
      id: canary.id,
      type: 'message.received',
      [canary.name]: { [canary.number]: [canary.name, [canary.text]] },
      status: canary.name,
      category: canary.text,
      timestamp: canary.number,
      created_at: canary.text,
      event_type: `${canary.name}.${canary.number}`,
      data: { ...Object.fromEntries(all.map((one, i) => [`k${i}`, { value: one, list: all }])), from: canary.number },
      number: Number(canary.number),
      text: `${canary.text} ${canary.name} ${canary.number}`,
    }
    await came({ json }, { json: { messages: [json, json] } }, { event: 'order.paid', json })
    const { code, stdout, stderr } = await run('--json')
    expect([code, JSON.parse(stdout)]).toEqual([0, { out: './fixtures', written: 3, there: 0, leftOut: 0 }])
    const said = stdout + stderr + [...fixtures()].map((one) => JSON.stringify(one)).join('\n')
    for (const word of [...all, 'Neema', 'Massawe', 'naumwa', 'CANARY', '744123456']) expect(said).not.toContain(word)
  })

  it('gives a batch no paths, and leaves existing files', async () => {
    const one = { id: 'm-1', from: '255712000101', type: 'text', text: 'habari' }
    await came({ json: { messages: [one, one] } }, { event: 'order.paid', json: { total: 1 } }, { json: 'no JSON' })
    await inApp((store) => store.accept(unclear()))
    expect((await run()).code).toBe(0)
    const [[name, batch] = ['']] = [...fixtures()]
    expect(Object.keys(batch ?? {})).toEqual(['event', 'payload'])
    writeFileSync(join(folder(), 'fixtures', name), '"mine"')
    expect((await run()).stderr).toBe('0 fixtures in ./fixtures, under pseudonyms; 2 existed already and were kept.\n')
    expect(readFileSync(join(folder(), 'fixtures', name), 'utf8')).toBe('"mine"')
  })

  it('keeps times, kinds and statuses at the paths that the app maps, whatever their members are called [R EVT-09]', async () => {
    const paths = { customer: 'mteja.simu', kind: 'ujumbe.aina', at: 'ujumbe.muda', text: 'ujumbe.maneno' }
    await inApp((store) =>
      store.keepMapping(Object.entries(paths).map(([fact, path]) => ({ event: 'message.received', fact, path }))),
    )
    const ujumbe = { aina: 'text', muda: '2026-03-04T09:15:21Z', maneno: 'Habari Asha' }
    await came({ json: { mteja: { simu: '+255 712 000 101' }, ujumbe } })
    await run()
    const [fixture] = fixtures().values()
    expect(fixture?.facts).toMatchObject(paths)
    expect(fixture?.payload).toMatchObject({ ujumbe: { aina: 'text', muda: '2026-03-04T09:15:21Z' } })
    expect(JSON.stringify(fixture)).not.toMatch(/Asha|712 000 101/)
  })

  it('writes fixtures that an emulator accepts: its events are read like the recorded ones [R EVT-09]', async () => {
    await came(...payloads.map(({ event, body }) => ({ event, json: body })))
    await run()
    await using emulator = await createEmulator({ payloads: join(folder(), 'fixtures') })
    await emulator.customer('255700000999').says('Bei gani?')
    const response = await fetch(`${emulator.url}/_emulator/events`, {
      headers: { Authorization: `Bearer ${emulator.controlToken}` },
    })
    const { items } = (await response.json()) as { items: { payload: string }[] }
    const reading = readBody(Buffer.from(items[0]?.payload ?? ''), {
      event: 'message.received',
      deliveryId: undefined,
      now: Date.now(),
    })
    const [view] = 'views' in reading ? reading.views : []
    expect(view?.facts).toMatchObject({ customer: { value: '255700000999', sure: true }, text: { value: 'Bei gani?' } })
    expect(view && pathsOf(view, JSON.parse(items[0]?.payload ?? '{}') as object as never)).toMatchObject({
      customer: 'data.from',
      text: 'data.content',
      at: 'data.created_at',
    })
  })
})
