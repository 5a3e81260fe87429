import { expect } from 'vitest'
import { SwitchhookError } from '../../src/base/errors.ts'
import { encodeSend } from '../../src/content/index.ts'

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

type Sent = Parameters<typeof encodeSend>[0]

/** What a content was refused with where it was to be sent. */
export function refusedSend(content: Sent, to = '255712345678'): string {
  return refused(() => encodeSend(content, to))
}
