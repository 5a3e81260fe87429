import { expect, it } from 'vitest'
import { rowsOf } from '../../../src/store/postgres/hot/rows.ts'
import { makeDatabase } from '../postgres-backend.ts'

it('groups lock rows in one order, whatever the language of the database: that of the bytes, as tables have it [F-8]', async () => {
  const { read } = await makeDatabase("LOCALE_PROVIDER icu ICU_LOCALE 'en'")
  const inOrder = (of: string) => read(`SELECT key FROM ${of} ORDER BY key`, [['b', 'C', 'a', 'B']])
  const asInTables = await inOrder('(SELECT unnest($1::text[]) COLLATE "C" AS key) AS rows')
  expect(await inOrder(rowsOf({ key: 'text' }))).toEqual(asInTables)
  expect(await inOrder('unnest($1::text[]) AS g(key)')).not.toEqual(asInTables)
})
