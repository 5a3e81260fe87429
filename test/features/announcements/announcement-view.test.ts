import { expect, it } from 'vitest'
import { csvLine } from '../../../src/features/announcements/announcement-view.ts'

it.each([
  ['=1+1', `"'=1+1"`],
  ['+255', `"'+255"`],
  ['-1', `"'-1"`],
  ['@sum', `"'@sum"`],
  ['\t=1', `"'\t=1"`],
  ['a=1', '"a=1"'],
  ['say "hi", now', '"say ""hi"", now"'],
  [undefined, '""'],
  [{ name: '=x' }, '"{""name"":""=x""}"'],
  ['255712000101', '"255712000101"'],
])('a cell that begins like a formula is text for programs of tables: %o', (cell, expected) => {
  expect(csvLine([cell])).toBe(expected)
})
