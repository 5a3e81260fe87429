const refuses = () => {
  throw new Error('it cannot be read')
}

const withMessage = (message: unknown) => Object.assign(new Error('x'), { message })

/** What apps and packages throw besides errors with a text, each time a new one. */
export const THROWN: Readonly<Record<string, () => unknown>> = {
  'an error whose message is an object': () => withMessage({ code: 'E_STOCK' }),
  'an error whose message is a list': () => withMessage(['no shop', 7]),
  'an error whose message is a number': () => withMessage(404),
  'an error whose message is nothing': () => withMessage(null),
  'an error whose message cannot be read': () => Object.defineProperty(new Error('x'), 'message', { get: refuses }),
  'an error whose stack cannot be read': () => Object.defineProperty(new Error('x'), 'stack', { get: refuses }),
  'an error whose name is a symbol': () => Object.assign(new Error('x'), { name: Symbol('x') }),
  'an error with a huge message': () => new Error('at x (y:1:2)\n'.repeat(500_000)),
  'an error that cannot be read': () => new Proxy(new Error('x'), { get: refuses, getPrototypeOf: refuses }),
  'a proxy that was revoked'() {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  },
  'an object without a prototype': () => Object.create(null),
  'an object': () => ({ message: { code: 'E_STOCK' } }),
  'a function': () => refuses,
  'a symbol': () => Symbol('x'),
  'a number': () => 42,
  null: () => null,
  undefined: () => undefined,
}
