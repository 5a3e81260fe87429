import { isRecord } from '../../../base/value.ts'
import type { JsonObject } from './facts.ts'
import { isEventName, plainName, wordsOf } from './values.ts'

export interface PathNode {
  readonly object: JsonObject
  /** In the payload's own spelling; `''` for the body itself. */
  readonly path: string
  readonly parent?: PathNode
  /** The name of the member of the parent that is this object, or the list that contains it. */
  readonly member: string
  /** In a list: the object's index, and the list's length. */
  readonly index?: number
  readonly siblings?: number
}

/** The message object, or the innermost wrapper if none is found. */
export interface Located {
  readonly node: PathNode
  readonly isMessage: boolean
  /** True if the object has content, and also says whose or which message it is. */
  readonly isWhole: boolean
}

const MAX_DEPTH = 5
const MIN_MESSAGE_MEMBERS = 2

/** Finds the innermost objects with at least two members of a message; several in a batch. */
export function locate(node: PathNode, event: string, lists = event.startsWith('message.')): readonly Located[] {
  return searchFor(event, lists)(node, MAX_DEPTH).located
}

/** Finds a list, outside the messages that were read, with several elements that could be messages. */
export function findListNotRead(
  body: JsonObject,
  event: string,
  { known, read }: Readonly<Record<'known' | 'read', ReadonlySet<JsonObject>>>,
): PathNode | undefined {
  const search = searchFor(event, false)
  const stack = [rootOf(body)]
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (read.has(node.object)) continue
    for (const [key, value] of Object.entries(node.object)) {
      if (isRecord(value)) stack.push(childOf(node, key, value))
      if (!Array.isArray(value)) continue
      const elements = value.filter(isRecord).map((object) => childOf(node, key, object))
      const found = elements.flatMap((each) => search(each, MAX_DEPTH).located)
      if (found.filter((one) => one.isWhole && !known.has(one.node.object)).length > 1) return elements[0]
      for (const each of elements) stack.push(each)
    }
  }
  return undefined
}

interface Found {
  readonly score: number
  readonly located: readonly Located[]
}

type Search = (node: PathNode, left: number) => Found

/** `lists`: true if lists are searched too. An order's list of items, for example, is not a batch. */
function searchFor(event: string, lists: boolean): Search {
  const skippedList = event === 'message.received' ? 'statuses' : ''
  // A status counts as content.
  const isStatus = event === 'message.status'

  const search: Search = (node, left) => {
    let score = 0
    let [identifies, hasContent, says] = [false, false, false]
    let wrappers: { readonly priority: number; readonly key: string; readonly value: object }[] | undefined
    for (const key of Object.keys(node.object)) {
      const member = MEMBERS.get(plainName(key))
      const value = node.object[key]
      if (member === undefined || value === null) continue
      if (isOfMessage(member, value)) {
        score++
        identifies ||= member.role !== 'shared'
        hasContent ||= member.role === 'content'
        says ||= member.role === 'content' || (isStatus && plainName(key) === 'status')
      }
      if (member.wrapper !== undefined && typeof value === 'object')
        (wrappers ??= []).push({ priority: member.wrapper, key, value })
    }
    const enough = score >= MIN_MESSAGE_MEMBERS
    let inner: Found | undefined
    if (left > 0)
      for (const { key, value } of wrappers?.sort((a, b) => a.priority - b.priority) ?? []) {
        // A list inside a message is a part of it, such as ordered things or an older conversation.
        if (Array.isArray(value) && ((enough && hasContent) || inner?.score)) continue
        const found = isRecord(value)
          ? search(childOf(node, key, value), left - 1)
          : searchList(node, key, value, left - 1)
        if (found && (inner === undefined || found.score > inner.score)) inner = found
      }
    if (inner && inner.score > 0) return inner
    // An envelope with a type and a time is not a message if it wraps another object.
    const isMessage = enough && (identifies || inner === undefined)
    return !isMessage && inner
      ? inner
      : { score: isMessage ? score : 0, located: [{ node, isMessage, isWhole: isMessage && identifies && says }] }
  }

  const searchList = (parent: PathNode, key: string, list: object, left: number): Found | undefined => {
    if (!lists || plainName(key) === skippedList || !Array.isArray(list)) return undefined
    let score = 0
    const located: Located[] = []
    for (const [index, element] of list.entries()) {
      // So many suffice for `isBatchTooLarge` to refuse the body.
      if (located.length > LARGEST_BATCH) break
      const object = isRecord(element) ? element : {}
      const path = `${joinPath(parent.path, key)}[${index}]`
      const found = search({ object, path, parent, member: key, index, siblings: list.length }, left)
      score = Math.max(score, found.score)
      for (const each of found.located) located.push(each)
    }
    return score > 0 ? { score, located } : undefined
  }

  return search
}

export function rootOf(body: JsonObject): PathNode {
  return { object: body, path: '', member: '' }
}

export function bodyOf(node: PathNode): JsonObject {
  return node.parent ? bodyOf(node.parent) : node.object
}

export function childOf(parent: PathNode, member: string, object: JsonObject): PathNode {
  return { object, path: joinPath(parent.path, member), parent, member }
}

export function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

/**
 * Returns the steps to the innermost list around a message, such as `data` and `0`. `least`: how many elements the list
 * must have. Empty without such a list.
 */
export function listOf(node: PathNode, least = 1): readonly string[] {
  const steps: string[] = []
  for (let each: PathNode | undefined = node; each?.parent; each = each.parent) {
    if (each.index !== undefined && (steps.length > 0 || (each.siblings ?? 1) >= least)) steps.unshift(each.member, '0')
    else if (steps.length > 0) steps.unshift(each.member)
  }
  return steps
}

/** Returns the body as if one message of a batch had arrived alone: each list around it has one element. */
export function isolated(node: PathNode): JsonObject {
  let json: JsonObject = node.object
  // A computed member sets no prototype, even if its name is `__proto__`.
  for (let child: PathNode = node; child.parent; child = child.parent)
    json = { ...child.parent.object, [child.member]: child.index === undefined ? json : [json] }
  return json
}

export const LARGEST_BATCH = 4_000
/** Members of envelopes are read again for each message. This many take 200 ms. */
const MOST_AROUND = 200_000

/** Tells whether a batch would block the event loop, for its messages or for the envelopes around them. */
export function isBatchTooLarge(messages: readonly Located[]): boolean {
  if (messages.length > LARGEST_BATCH) return true
  const around = new Map<PathNode, { messages: number; readonly member: string }>()
  if (messages.length > 1)
    for (const { node } of messages)
      for (let { parent, member } = node; parent; { parent, member } = parent) {
        const known = around.get(parent)
        if (known) known.messages++
        else around.set(parent, { messages: 1, member })
      }
  let left = MOST_AROUND
  for (const [{ object }, below] of around) {
    left -= below.messages * membersIn(object, below.member, left / below.messages)
    if (left < 0) return true
  }
  return false
}

/** Counts the members that are read again for each message. A list counts as its first element. */
function membersIn(object: JsonObject, except: string | undefined, most: number): number {
  let members = 0
  for (const key of Object.keys(object)) {
    if (members++ > most) break
    if (key === except) continue
    let value = object[key]
    while (Array.isArray(value)) value = (value as readonly unknown[])[0]
    if (isRecord(value)) members += membersIn(value, undefined, most - members)
  }
  return members
}

/** Members that may contain the message object, in the order in which they are tried. */
const WRAPPERS = wordsOf(`data payload message object record attributes value body event
  statuses messages results items entry changes`)

const ROLES = {
  shared: wordsOf('type kind status timestamp occurred_at'),
  /** Members that a message has and its envelope lacks. */
  identifying: wordsOf(`from to sender recipient recipient_id direction customer_phone wa_id
    message_id wa_message_id wamid received_at sent_at delivered_at read_at played_at failed_at`),
  content: wordsOf(`message_type content text body message caption interactive button payload
    image audio voice video document sticker location reaction media_url
    new_status message_status delivery_status failure_reason`),
}

interface Member {
  /** The order in which wrappers are tried. */
  readonly wrapper?: number
  readonly role?: keyof typeof ROLES
}

const MEMBERS = new Map<string, Member>()
for (const role of ['shared', 'identifying', 'content'] as const)
  for (const name of ROLES[role]) MEMBERS.set(name, { role })
for (const [wrapper, name] of WRAPPERS.entries()) MEMBERS.set(name, { ...MEMBERS.get(name), wrapper })

// A `message` or `body` that is an object is a wrapper. A `type` may be the name of the event.
function isOfMessage({ role, wrapper }: Member, value: unknown): boolean {
  if (role === undefined) return false
  if (wrapper !== undefined) return typeof value === 'string'
  return role !== 'shared' || !isEventName(value)
}
