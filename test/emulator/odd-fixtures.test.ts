import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readFixtures } from '../../src/emulator/events/fixtures.ts'
import { temporaryFolder } from '../support/folder.ts'

const facts = { customer: 'data.from', messageId: 'data.id', text: 'data.text' }
const good = { event: 'message.received', facts, payload: { data: { id: 'm-1', from: '255001234567', text: 'x' } } }

let folder: string
beforeEach(() => void (folder = temporaryFolder()))

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const read = () => readFixtures(folder)

describe('an unusable fixture', () => {
  it.each<[string, string, RegExp]>([
    ['is empty', '', /Unexpected end of JSON/],
    ['is cut off', '{"event":', /Unexpected end of JSON/],
    ['is a list', '[]', /expected object, received array/],
    ['has a list as its payload', JSON.stringify({ ...good, payload: [] }), /expected record, received array/],
  ])('%s: the error names the file, the fault and what to do [R EVT-09]', (_, text, fault) => {
    write('good.json', JSON.stringify(good))
    write('odd.json', text)
    const options_invalid = { code: 'options_invalid', message: expect.stringMatching(fault) }
    expect(read).toThrow(expect.objectContaining(options_invalid))
    expect(read).toThrow(/odd\.json is not a fixture: [^]*`switchhook payload export`/)
  })

  it('is a folder, or is not there: the error names it', () => {
    expect(() => readFixtures(join(folder, 'none'))).toThrow(/^payloads: .*none cannot be read: /)
    mkdirSync(join(folder, 'odd.json'))
    expect(read).toThrow(/odd\.json is not a fixture: .*EISDIR/)
  })

  it('is of an event that the emulator never sends: it is left out, or refused if there is no other [R EVT-09]', () => {
    write('odd.json', JSON.stringify({ ...good, event: 'mesage.received' }))
    expect(read).toThrow(/has no usable fixture \(an event that the emulator sends, with the paths of its facts\): /)
    write('good.json', JSON.stringify(good))
    expect(read()).toEqual([good])
  })
})
