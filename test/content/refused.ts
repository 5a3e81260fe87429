import { expect } from 'vitest'
import { SwitchhookError } from '../../src/base/errors.ts'

/** What a content was refused with; fails where it was accepted. */
export function refused(make: () => unknown): string {
  try {
    make()
  } catch (error) {
    expect(error).toBeInstanceOf(SwitchhookError)
    expect((error as SwitchhookError).code).toBe('content_invalid')
    return (error as SwitchhookError).message
  }
  return expect.unreachable('it was accepted')
}
