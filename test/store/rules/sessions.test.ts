import { expect, it } from 'vitest'
import { mergedSession } from '../../../src/store/rules/items.ts'

const merged = (before: string | undefined, mine: string | undefined, theirs: string | undefined, version = 1) =>
  mergedSession(
    { before, readAt: 0, value: mine, version: 1, expiresAt: undefined },
    theirs === undefined ? undefined : { value: theirs, version },
  )?.value

it('a change of a session is applied to a newer one if no key at the top was changed by both [F-55]', () => {
  expect(merged('{"a":1,"b":1}', '{"a":2,"b":1}', '{"a":1,"b":2}')).toBe('{"a":2,"b":2}')
  expect(merged('{"a":1,"b":1}', '{"b":1}', '{"a":1,"b":2}')).toBe('{"b":2}')
  expect(merged(undefined, '{"a":1}', '{"b":2}')).toBe('{"b":2,"a":1}')
  const base = '{"a":0,"b":0}'
  const write = { before: undefined, base, readAt: 0, value: '{"a":1,"b":0}', version: 1, expiresAt: undefined }
  expect(mergedSession(write, { value: '{"a":0,"b":2}', version: 1 })?.value).toBe('{"a":1,"b":2}')
  expect(merged('{"a":1}', '{"a":2}', '{"a":2}')).toBe('{"a":2}')
})

it('a change of a session is not applied to one that changed the same key, is gone, or cannot be compared [F-55]', () => {
  expect(merged('{"a":1}', '{"a":2}', '{"a":3}')).toBeUndefined()
  expect(merged('{"a":{"x":1,"y":1}}', '{"a":{"x":2,"y":1}}', '{"a":{"x":1,"y":2}}')).toBeUndefined()
  expect(merged('{"a":1}', '{"a":2}', undefined)).toBeUndefined()
  expect(merged('{"a":1}', undefined, '{"a":2}')).toBeUndefined()
  expect(merged('[1]', '[2]', '[1,3]')).toBeUndefined()
  expect(merged('{"a":1}', '{"a":2}', '{"a":1,"b":1}', 2)).toBeUndefined()
})
