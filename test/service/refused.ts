import { expect } from 'vitest'
import { SwitchhookError } from '../../src/base/errors.ts'
import { encodeSend } from '../../src/service/wire.ts'

/** The message with which a builder refused its arguments; fails if it accepted them. */
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

/** The message with which a content was refused when it was sent. */
export function refusedSend(content: Sent, to = '255712345678'): string {
  return refused(() => encodeSend(content, to))
}
