import { VERSION } from './version.ts'

// A process may load both builds of the package: Jest loads CommonJS beside an app's ES modules.

/** One map for all builds of this version in a process. */
export function sharedMap<K extends WeakKey, V>(name: string): WeakMap<K, V> {
  const key = Symbol.for(`switchhook@${VERSION}:${name}`)
  const all = globalThis as unknown as Record<symbol, WeakMap<K, V> | undefined>
  return (all[key] ??= new WeakMap())
}

/** Makes `instanceof` recognise instances that another build of the package made, by a mark on their class. */
export function knownToAllBuilds(made: { readonly prototype: object; readonly name: string }): void {
  const mark = Symbol.for(`switchhook:${made.name}`)
  Object.defineProperty(made.prototype, mark, { value: true })
  Object.defineProperty(made, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      // `this` is a class of the app that extends `made` and inherits this method: use the usual check for it.
      if (this !== made) return Function.prototype[Symbol.hasInstance].call(this as () => void, value)
      return typeof value === 'object' && value !== null && mark in value
    },
  })
}
