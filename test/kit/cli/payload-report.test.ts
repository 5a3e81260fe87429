import { beforeEach, describe, expect, it } from 'vitest'
import { shapeOf } from '../../../src/bot/inbox/payload/shape.ts'
import type { Store } from '../../../src/store/store.ts'
import { createBot } from '../../../src/bot/switchhook.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { bytesOf, message } from '../../bot/inbox/payload/reading.ts'
import { delivery, ingested, item } from '../../store/samples.ts'
import { databaseFolder } from './database-folder.ts'
import { switchhook } from './support.ts'

const EVENT = 'message.received'
const CANARIES = ['255712000101', 'Mwanaidi Kisongo', 'My loan was refused', 'wamid.HBgMMjU1NzEy']

const { file, folder } = databaseFolder()
let store: Store
beforeEach(() => {
  store = openSqlite(file())
  return () => store.close()
})

const report = (...args: readonly string[]) => switchhook(['payload', 'report', ...args], {}, folder())

async function received(payloads: readonly unknown[], event = EVENT): Promise<void> {
  for (const payload of payloads) await store.accept(delivery({ event, body: Buffer.from(bytesOf(payload)) }))
}

describe('switchhook payload report', () => {
  it('lists each shape with all paths and types, and marks guesses and doubts [R EVT-05, EVT-07]', async () => {
    await received([message(), message(), message({ contact: { phone: '255712000999' } })])
    const { code, stdout, stderr } = await report()
    expect([code, stderr]).toEqual([0, ''])
    const lines = stdout.split('\n').map((line) => line.trim().split(/ {2,}/).join(' '))
    expect(lines).toEqual(
      expect.arrayContaining([
        'message.received: 3 deliveries, 2 shapes',
        `shape ${shapeOf(message()).fingerprint}, 2 deliveries`,
        'data object -',
        'data.from string customer (guessed)',
        'data.from string customer (guessed, in doubt)',
        'data.timestamp number at (guessed)',
        'data.contact.phone string -',
        'fact_conflict: customer at data.contact.phone',
        "customer: 'data.from', // guessed; guessed, in doubt",
        "messageId: 'data.id', // guessed",
      ]),
    )
  })

  it('lists for a shape without facts the paths, a mapping to complete, and the next command [R EVT-05]', async () => {
    await received([
      { mteja: { simu: '+255 712 000 101' }, ujumbe: { maneno: 'habari', muda: 'jana', sehemu: [1, null] } },
    ])
    const { stdout } = await report()
    for (const line of [
      /^mteja\.simu +string +-$/m,
      /^ujumbe\.sehemu\[0\] +null \| number +-$/m,
      /^ {6}customer: '', \/\/ not found: the customer's phone number$/m,
      /^ {6}\/\/ text: '', \/\/ not found$/m,
    ])
      expect(stdout).toMatch(line)
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('  switchhook inbox retry --parked')
    const typed = await report('--database', file())
    expect(typed.stdout.trimEnd().split('\n').at(-1)).toBe(`  switchhook inbox retry --database ${file()} --parked`)
  })

  it('reads by the paths that the app maps [R EVT-02]', async () => {
    await store.keepMapping([{ event: EVENT, fact: 'customer', path: '["data.gone","data.sender"]' }])
    await received([{ event: EVENT, data: { id: 'm', text: 'hi', sender: '255712000101' } }])
    expect((await report()).stdout).toMatch(/^data\.sender +string +customer \(mapped\)$/m)
  })

  it('prints paths that the option facts accepts, also into lists of lists [R EVT-02]', async () => {
    await received([{ entry: [{ changes: [{ sender: { msisdn: '255712000101' }, words: [[{ a: 1 }]] }] }] }])
    const { stdout } = await report()
    const paths = [...stdout.matchAll(/^([^ ]*\[[^ ]*) +/gm)].map(([, path]) => path)
    expect(paths).toEqual(
      expect.arrayContaining(['entry[0].changes[0].sender.msisdn', 'entry[0].changes[0].words[0][0].a']),
    )
    const facts = { [EVENT]: Object.fromEntries(paths.map((path, index) => [`own${index}`, path])) } as never
    expect(() => createBot({ facts })).not.toThrow()
  })

  it('prints kinds and statuses, and marks unknown ones, in the words of the bot [R EVT-03, EVT-04]', async () => {
    await store.keepMapping([
      { event: '', fact: 'kinds', path: '[["photo","image"]]' },
      { event: EVENT, fact: 'kind', path: 'data.sort' },
    ])
    await received(['PHOTO', 'sura', 'text'].map((sort) => message({ sort, message_type: undefined })))
    await received([message({ sort: 'My loan was refused', message_type: undefined })])
    await received([{ data: { to: '255712000101', message_id: 'm', status: 'gone' } }], 'message.status')
    const { stdout } = await report()
    for (const line of [
      /^kind: image$/m,
      /^kind: sura \(unknown: say what it means by the option kinds\)$/m,
      /^kind: .*characters.* \(unknown: /m,
    ])
      expect(stdout).toMatch(line)
    expect(stdout).toMatch(/^status: gone \(unknown: say what it means by the option statuses\)$/m)
    expect(stdout).not.toContain('loan')
  })

  it('prints what functions of the app returned, and keeps them in the mapping to paste [R EVT-02]', async () => {
    await store.keepMapping(['kind', 'text', 'total'].map((fact) => ({ event: EVENT, fact, path: '()' })))
    const facts = { values: { kind: 'image', text: 'My loan was refused' }, sure: [], mapped: [], own: { total: 7 } }
    const arrived = delivery({ event: EVENT, body: Buffer.from(bytesOf(message())) })
    await store.accept(arrived, { waitMs: 1_000, ingested: ingested(item({ facts: JSON.stringify(facts) })) })
    const { stdout } = await report()
    expect(stdout).toMatch(/^kind: your function returned "image"$/m)
    expect(stdout).toMatch(/^text: your function returned .*characters/m)
    expect(stdout).toMatch(/^total: your function returned /m)
    expect(stdout).toMatch(/^ {6}\/\/ kind: keep your function$/m)
    expect(stdout).not.toContain('loan')
  })

  it('prints everything as JSON, also for one event [R EVT-05]', async () => {
    await received([message()])
    await received([{ event: 'order.paid', data: { order: 1 } }], 'order.paid')
    const { events } = JSON.parse((await report('--json', '--event', EVENT)).stdout) as { events: unknown[] }
    expect(events).toEqual([
      {
        event: EVENT,
        deliveries: 1,
        functions: [],
        shapes: [
          expect.objectContaining({
            fingerprint: shapeOf(message()).fingerprint,
            facts: expect.objectContaining({
              customer: { path: 'data.from', how: 'guessed', doubtful: false },
            }) as unknown,
          }),
        ],
      },
    ])
  })

  it('shows nothing of any customer: no number, no name, no text, no id, at whatever place [R EVT-07]', async () => {
    const [number = '', name, text, id] = CANARIES
    await received([
      message({ text, name, wa_message_id: id, [number]: number }),
      message({ contact: { name, phone: '255712000999' }, [`${name}`]: [text], [`${id}`]: id }),
      {
        messages: [
          { from: number, id, text },
          { from: `+${number}`, id: `${id}2`, text, [`${text}`]: text },
        ],
      },
    ])
    for (const { stdout, stderr } of [await report(), await report('--json')]) {
      expect(stdout).toContain('message')
      for (const canary of [...CANARIES, 'Kisongo']) expect(stdout + stderr).not.toContain(canary)
    }
  })

  it('explains what to do if nothing is recorded yet', async () => {
    const { code, stdout, stderr } = await report()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('let the app receive deliveries first')
  })
})
