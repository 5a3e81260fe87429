import { describe, expect, it } from 'vitest'
import { causeOf, isA, readError, reasonOf, SwitchhookError } from '../../src/base/errors.ts'

const refuses = () => {
  throw new Error('it cannot be read')
}
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const withMessage = (message: unknown) => Object.assign(new Error('x'), { message })
const cyclic: { self?: unknown } = {}
cyclic.self = cyclic

/** What apps and packages throw, and the message that tells it. */
const THROWN: readonly (readonly [what: string, thrown: unknown, message: string | RegExp])[] = [
  ['an error', new TypeError('no shop'), 'no shop'],
  ['a text', 'no shop', 'no shop'],
  ['a number', 42, '42'],
  ['null', null, 'null'],
  ['undefined', undefined, 'undefined'],
  ['a symbol', Symbol('shop'), 'Symbol(shop)'],
  ['a bigint', 7n, '7'],
  ['a function', () => 5, '() => 5'],
  ['an object with a message', { message: 'no shop', code: 'E_SHOP' }, 'no shop'],
  ['an object', {}, '[object Object]'],
  ['an object without a prototype', Object.create(null), /has no text/],
  ['an error whose message is an object', withMessage({ code: 'E_STOCK' }), '{"code":"E_STOCK"}'],
  ['an error whose message is a list', withMessage(['no shop', 7]), '["no shop",7]'],
  ['an error whose message is a number', withMessage(404), '404'],
  ['an error whose message is a symbol', withMessage(Symbol('shop')), 'Symbol(shop)'],
  ['an error whose message is an error', withMessage(new Error('no shop')), 'Error: no shop'],
  ['an error whose message is nothing', withMessage(null), ''],
  ['an error whose message refers to itself', withMessage(cyclic), /has no text/],
  ['an error whose message has a bigint', withMessage({ at: 7n }), /has no text/],
  [
    'an error whose message cannot be read',
    Object.defineProperty(new Error('x'), 'message', { get: refuses }),
    /has no/,
  ],
  ['an error that cannot be read at all', new Proxy(new Error('x'), { get: refuses }), /has no text/],
  ['a proxy without a prototype', new Proxy(new Error('x'), { getPrototypeOf: refuses }), 'x'],
  ['a proxy that was revoked', revoked(), /has no text/],
  ['an object whose text cannot be made', { toString: refuses }, /has no text/],
  ['an object whose text is none', { toString: () => ({}) }, /has no text/],
]

describe('a caught error', () => {
  it.each(THROWN)('is read as texts: %s [F-56]', (_, thrown, message) => {
    const read = readError(thrown)
    for (const text of Object.values(read)) expect(text).toBeTypeOf('string')
    if (typeof message === 'string') expect(read.message).toBe(message)
    else expect(read.message).toMatch(message)
    expect(reasonOf(thrown)).toBe(read.message)
  })

  it('is read with its class, its code and its stack', () => {
    const error = Object.assign(new TypeError('no shop'), { code: 'E_SHOP' })
    expect(readError(error)).toEqual({ name: 'TypeError', message: 'no shop', code: 'E_SHOP', stack: error.stack })
    expect(readError(Object.assign(new Error('x'), { name: 5, code: 7, stack: ['a'] }))).toEqual({
      name: '5',
      message: 'x',
      code: '7',
      stack: '["a"]',
    })
    expect(readError(null)).toEqual({ name: 'object', message: 'null', code: '', stack: '' })
  })

  it('is cut if it is huge, and has no stack then: what is left of its message would pass for frames', () => {
    const { message, stack } = readError(new Error('    at x (y:1:2)\n'.repeat(1_000_000)))
    expect(message).toHaveLength(20_000)
    expect(stack).toBe('')
    expect(readError('z'.repeat(10_000_000)).message).toHaveLength(20_000)
  })

  it('is compared with a class, and asked for its cause, without a throw', () => {
    const hostile = [revoked(), new Proxy(new Error('x'), { getPrototypeOf: refuses }), null, undefined, 'x']
    for (const thrown of hostile) {
      expect(isA(thrown, SwitchhookError)).toBe(false)
      expect(causeOf(thrown)).toBeUndefined()
    }
    expect(causeOf(Object.defineProperty(new Error('x'), 'cause', { get: refuses }))).toBeUndefined()
    expect(causeOf(new Error('x', { cause: 5 }))).toBe(5)
    expect(isA(new SwitchhookError('port_in_use', 'x'), SwitchhookError)).toBe(true)
  })
})
