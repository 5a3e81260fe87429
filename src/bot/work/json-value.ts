import { optionsInvalid, reasonOf } from '../../base/errors.ts'

/** A value that JSON changes without an error: reading it back gives a different value. */
export interface ChangedByJson {
  /** The value's path, such as `visits[0].at`; empty for the value itself. */
  readonly path: string
  /** The value's type, such as `a Date`. Never its content. */
  readonly what: string
  readonly value: unknown
}

/** Lists the values that JSON changes. Leaves out undefined members: a missing member reads the same. */
export function* changedByJson(value: unknown, path = '', parents: readonly unknown[] = []): Generator<ChangedByJson> {
  const what = wrongKind(value, path)
  if (what !== undefined) yield { path, what, value }
  else if (typeof value === 'object' && value !== null && !parents.includes(value)) {
    const members = Array.isArray(value)
      ? value.map((one: unknown, at) => [`${path}[${at}]`, one] as const)
      : Object.entries(value).map(([name, one]) => [nested(path, name), one] as const)
    const inside = [...parents, value]
    for (const [at, one] of members)
      if (one !== undefined || Array.isArray(value)) yield* changedByJson(one, at, inside)
  }
}

function wrongKind(value: unknown, path: string): string | undefined {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? undefined : String(value)
    case 'function':
    case 'symbol':
      return `a ${typeof value}`
    case 'undefined':
      return path === '' ? undefined : 'undefined in a list'
    case 'object':
      return value === null || Array.isArray(value) ? undefined : className(value)
    default:
      return undefined
  }
}

function className(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value)
  // Accept a plain object of another realm: it has another prototype, whose own prototype is null.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined
  const { name } = value.constructor
  return `a ${name === '' ? 'class' : name}`
}

function nested(path: string, name: string): string {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}

/** @param path a path of `changedByJson`. */
export function valueAt(copy: unknown, path: string): unknown {
  const steps = [...path.matchAll(/([A-Za-z_$][\w$]*)|\[(\d+|"(?:[^"\\]|\\.)*")\]/g)].map(([, name, other]) =>
    name === undefined ? (JSON.parse(other as string) as string | number) : name,
  )
  return steps.reduce<unknown>(
    (found, step) =>
      typeof found === 'object' && found !== null ? (found as Record<string | number, unknown>)[step] : undefined,
    copy,
  )
}

/** Packs a result in a list, because `undefined` has no JSON. @throws SwitchhookError `options_invalid` */
export function packResult(name: string, result: unknown): string {
  const refuse = (why: string, cause?: unknown) =>
    optionsInvalid(
      `once(): the result of "${name}" cannot be stored as JSON: ${why}. Return only what you need, such as an id. The function has run and is not repeated automatically`,
      { cause },
    )
  const [changed] = changedByJson(result)
  if (changed) throw refuse(`${changed.path || 'it'} is ${changed.what}, which JSON would change`)
  try {
    return JSON.stringify(result === undefined ? [] : [result])
  } catch (error) {
    throw refuse(reasonOf(error), error)
  }
}

export function unpackResult(packed: string): unknown {
  return (JSON.parse(packed) as unknown[])[0]
}
