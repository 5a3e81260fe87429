import { isRecord } from '../../../base/value.ts'
import type { JsonObject } from './facts.ts'
import { joinPath } from './locate.ts'

/**
 * The paths and types of a body, without values. `*` replaces a member's name that may be data, such as a phone number.
 * So a shape contains nothing of a customer. The order of members and the length of lists do not matter.
 */
export interface Shape {
  /** A short hash of the paths. Only letters, because digits would look like a number. */
  readonly fingerprint: string
  /**
   * Sorted, each with its type: `data.from:string`, `messages[]:object`, `messages[].text:null`. The types are
   * `string`, `number`, `boolean`, `null`, `object` and `array`; a path with two types occurs twice.
   */
  readonly paths: readonly string[]
  /** True if the body is larger than a shape may be, so that paths are missing. */
  readonly truncated: boolean
}

export function shapeOf(body: JsonObject): Shape {
  const found = new Set<string>()
  let [values, characters, truncated] = [0, 0, false]
  const isFull = () => values >= MOST_VALUES && (truncated = true)

  const addMembers = (object: JsonObject, path: string, depth: number) => {
    const names = Object.keys(object)
    const isTable = names.length > MOST_MEMBERS
    truncated ||= isTable
    for (const name of names) {
      if (isFull()) return
      add(object[name], joinPath(path, isTable || mayBeData(name) ? '*' : name), depth)
    }
  }

  const add = (value: unknown, path: string, depth: number) => {
    values++
    const isList = Array.isArray(value)
    const line = `${path}:${isList ? 'array' : value === null ? 'null' : typeof value}`
    const isNew = !found.has(line)
    const isTooMuch = isNew && (found.size >= MOST_PATHS || characters + line.length > MOST_CHARACTERS)
    truncated ||= isTooMuch
    if (isTooMuch) return
    if (isNew) characters += line.length
    found.add(line)
    if (!isList && !isRecord(value)) return
    if (depth >= DEEPEST) truncated = true
    else if (isRecord(value)) addMembers(value, path, depth + 1)
    else for (const element of value) if (!isFull()) add(element, `${path}[]`, depth + 1)
  }

  addMembers(body, '', 1)
  const paths = [...found].sort()
  return { fingerprint: fingerprintOf(paths, truncated), paths, truncated }
}

// ── limits, because a signed delivery may have any shape ────────────────────────────────────────────

const MOST_VALUES = 10_000
const MOST_PATHS = 400
const MOST_CHARACTERS = 16_384
const DEEPEST = 16
/** An object with more members is a table, whose names are data. */
const MOST_MEMBERS = 64

// ── names that may be data ──────────────────────────────────────────────────────────────────────────

const NAME = /^[@$]?_{0,2}[a-z][\w:-]*$/i
const LONGEST_NAME = 48
const MANY_DIGITS = /(?:\d\D*){4}/
const CASE_CHANGE = /(?<=[a-z\d])(?=[A-Z])/
const LEAST_LETTERS_OF_A_WORD = 3
const MANY_WORDS = 5

/** True for a name that may be a number, an id, an address, a person or a text. */
export function mayBeData(name: string): boolean {
  if (name.length > LONGEST_NAME || !NAME.test(name) || MANY_DIGITS.test(name)) return true
  return name.split(/[_:-]/).some((part) => {
    const words = part.split(CASE_CHANGE).length
    return words >= MANY_WORDS && part.length < words * LEAST_LETTERS_OF_A_WORD
  })
}

// ── the fingerprint ─────────────────────────────────────────────────────────────────────────────────

// Sixteen letters, one for each half of a byte.
const LETTERS = 'bcdfghjkmnpqrstw'
const LENGTH = 12

/** Two 32-bit hashes after FNV-1a of sorted paths. Not secure against forgers, who gain nothing here. */
function fingerprintOf(paths: readonly string[], truncated: boolean): string {
  const text = `${truncated ? '…' : ''}${paths.join('\n')}`
  let one = 0x811c9dc5
  let two = 0x9747b28c
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    one = Math.imul(one ^ unit, 0x01000193)
    two = Math.imul(two ^ unit ^ (one >>> 16), 0x85ebca6b)
  }
  return letters(one) + letters(two).slice(0, LENGTH - 8)
}

function letters(hash: number): string {
  let text = ''
  for (let shift = 28; shift >= 0; shift -= 4) text += LETTERS[(hash >>> shift) & 15]
  return text
}
