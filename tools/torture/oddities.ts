/** What apps throw, although nothing but an error should be thrown; a logger and hooks that fail. */
import type { Log } from '../../src/base/log.ts'
import type { Hooks } from '../../src/bot/report/observers.ts'

const refuse = (): never => {
  throw new TypeError('an oddity lets nobody look at it')
}
const REFUSES: ProxyHandler<object> = { get: refuse, has: refuse, getPrototypeOf: refuse, ownKeys: refuse }
const withGetter = (member: string) => Object.defineProperty(new Error('as planned'), member, { get: refuse })

const ODDITIES: readonly (() => unknown)[] = [
  () => new Error('as planned'),
  () => Object.assign(new Error('as planned'), { message: { code: 'E_STOCK' } }),
  () => Object.assign(new Error('as planned'), { message: ['as', 'planned'] }),
  () => Object.assign(new Error('as planned'), { message: 7, name: Symbol('odd'), stack: null, code: {} }),
  () => withGetter('message'),
  () => withGetter('stack'),
  () => withGetter('name'),
  () => null,
  () => undefined,
  () => 'as planned',
  () => 7n,
  () => Symbol('as planned'),
  () => ['as planned'],
  () => ({ message: null, toString: refuse, toJSON: refuse }),
  () => Object.create(null) as unknown,
  () => () => {},
  () => new Proxy({}, REFUSES),
  () => new Proxy(new Error('as planned'), REFUSES),
  () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  },
  () => {
    const error = new Error('as planned')
    return Object.assign(error, { cause: error })
  },
  () => new AggregateError([null, new Error('as planned')]),
]

let given = 0

/** Another one each time. */
export function oddity(): unknown {
  return ODDITIES[given++ % ODDITIES.length]?.()
}

/** By turns it works, throws, and returns a promise that rejects. */
function failing(): () => unknown {
  let calls = 0
  return () => {
    calls++
    if (calls % 3 === 1) throw oddity()
    return calls % 3 === 2 ? Promise.reject(oddity()) : undefined
  }
}

export function failingLogger(): Log {
  const write = failing() as Log['error']
  return { debug: write, info: write, warn: write, error: write }
}

/** Whichever hook it is. */
export function failingHooks(): Hooks {
  const hook = failing()
  return new Proxy({}, { get: () => hook })
}
