import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { contacts, type ContactsOptions } from '../../../src/features/comfort/contacts.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchhook-contacts-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
async function read(bytes: string | Buffer, o: ContactsOptions = {}) {
  const file = join(folder, `${files++}.csv`)
  writeFileSync(file, bytes)
  const bad: string[] = []
  const rows: unknown[] = []
  for await (const row of contacts(file, { onBad: ({ line, why }) => bad.push(`${line}: ${why}`), ...o }))
    rows.push(row)
  return { rows, bad }
}

describe('contacts of a CSV file', () => {
  it.each([
    ['commas', 'phone,name\n255712000101,Asha\n'],
    ['semicolons and CRLF', 'phone;name\r\n255712000101;Asha\r\n'],
    ['tabs', 'phone\tname\n255712000101\tAsha'],
    ['quotes', '"phone","name"\n"255712000101","Asha"\n'],
    ['blanks and an empty line', ' phone , name \n\n 255712000101 , Asha \n'],
    ['the mark before UTF-8', '\uFEFFphone,name\n255712000101,Asha'],
    ['UTF-16', Buffer.from('\uFEFFphone;name\n255712000101;Asha', 'utf16le')],
  ])('are read with %s', async (_, bytes) => {
    expect(await read(bytes)).toEqual({ rows: [{ phone: '255712000101', to: '255712000101', name: 'Asha' }], bad: [] })
  })

  it('keep quoted separators, quotes and line breaks', async () => {
    const { rows } = await read('to,name\n255712000101,"Asha ""the\nbaker"", Dar"\n')
    expect(rows).toEqual([{ to: '255712000101', name: 'Asha "the\nbaker", Dar' }])
  })

  it('say which rows are bad and why, and leave out a number that an earlier row has', async () => {
    const { rows, bad } = await read(
      'to,name\n255712000101,Asha\n2.55712E+11,Excel\n+255 712 000 101,Again\nnobody,Nobody\n255712000102\n255712000103,a,b\n',
    )
    expect(rows).toMatchObject([
      { to: '255712000101', name: 'Asha' },
      { to: '2.55712E+11' },
      { to: 'nobody' },
      { to: '255712000102' },
      { to: '255712000103', name: 'a' },
    ])
    expect(bad.map((line) => line.split(':')[0])).toEqual(['3', '4', '5', '6', '7'])
    expect(bad[1]).toBe('4: line 2 has this number already')
    expect(bad[3]).toContain('another number of columns')
  })

  it('have the phone number in the column that is named, and list the columns if none is it', async () => {
    const csv = 'mobile,name\n255712000101,Asha\n'
    expect((await read(csv, { to: 'mobile' })).rows).toMatchObject([{ to: '255712000101', mobile: '255712000101' }])
    await expect(read(csv)).rejects.toThrow('no column to or phone: it has mobile, name')
    await expect(read(csv, { to: 'phone' })).rejects.toThrow('no column phone')
  })

  it('refuse a file in another encoding, and one that is not there, in words', async () => {
    await expect(read(Buffer.from('to,name\n255712000101,Jos\xe9', 'latin1'))).rejects.toThrow("save it as 'CSV UTF-8'")
    await expect(contacts(join(folder, 'missing.csv')).next()).rejects.toThrow(/missing\.csv cannot be read: ENOENT/)
  })
})
