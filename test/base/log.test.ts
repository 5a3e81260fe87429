import { describe, expect, it } from 'vitest'
import { ERROR_CODES, reasonOf, SwitchhookError } from '../../src/base/errors.ts'
import { childLog, silent } from '../../src/base/log.ts'
import { recordedLog } from '../bot/inbox/log.ts'

describe('a log with bound members', () => {
  it('has them in every line, and lets a line add more', () => {
    const { log, lines } = recordedLog()
    const bound = childLog(log, { delivery: 'd1', attempt: 1 })
    bound.debug({ attempt: 2 }, 'one')
    bound.info({}, 'two')
    bound.warn('a text', 'three')
    bound.error(null)
    expect(lines).toEqual([
      { level: 'debug', about: { delivery: 'd1', attempt: 2 }, message: 'one' },
      { level: 'info', about: { delivery: 'd1', attempt: 1 }, message: 'two' },
      { level: 'warn', about: { delivery: 'd1', attempt: 1, about: 'a text' }, message: 'three' },
      { level: 'error', about: { delivery: 'd1', attempt: 1, about: null }, message: '' },
    ])
  })

  it('is silent if the log is off', () => {
    for (const level of ['debug', 'info', 'warn', 'error'] as const) expect(silent[level]({}, 'x')).toBeUndefined()
  })
})

describe('an error of the library', () => {
  it('has a code of the catalogue, a name and its cause', () => {
    const cause = new Error('why')
    const error = new SwitchhookError('port_in_use', 'what to do', { cause })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'SwitchhookError', code: 'port_in_use', message: 'what to do', cause })
    expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length)
  })

  it('is described in one line, whatever was thrown', () => {
    expect([new Error('a'), 'b', 5, null, undefined].map(reasonOf)).toEqual(['a', 'b', '5', 'null', 'undefined'])
  })
})
