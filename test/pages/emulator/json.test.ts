import { expect, it } from 'vitest'
import { formatJson } from '../../../src/pages/ui/text/json.ts'

it('a body is formatted if it is JSON that does not nest too deeply', () => {
  expect(formatJson('{"a":[1],"b":{}}')).toBe('{\n  "a": [\n    1\n  ],\n  "b": {}\n}')
  expect(formatJson('not JSON')).toBeUndefined()
  expect(formatJson(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)).toBeUndefined()
})
