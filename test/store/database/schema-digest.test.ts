import { expect, it } from 'vitest'
import { digestOf } from '../../../src/store/database/schema.ts'

const TABLE = 'CREATE TABLE one (\n  id INTEGER,\n  name TEXT\n)'

it('the digest of a schema is the same for the same statements', () => {
  expect(digestOf([TABLE])).toBe(digestOf([TABLE]))
})

it.each([
  ['a column is added', TABLE.replace('TEXT', 'TEXT, at INTEGER')],
  ['a column is renamed', TABLE.replace('name', 'label')],
  ['a column may be null no more', TABLE.replace('TEXT', 'TEXT NOT NULL')],
  ['columns change places', 'CREATE TABLE one (name TEXT, id INTEGER)'],
  ['an index is added', `${TABLE}; CREATE INDEX one_name ON one (name)`],
])('the digest of a schema is another one if %s', (_what, other) => {
  expect(digestOf([other])).not.toBe(digestOf([TABLE]))
})
