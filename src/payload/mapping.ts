import { isRecord } from '../base/value.ts'
import { kindOf } from './content.ts'
import type { FactMapping, Facts, FactValues, Media, Reading, Tapped, TemplateChange, View } from './facts.ts'
import { OPTIONAL_FACTS } from './facts.ts'
import { ourNumbers } from './ids.ts'
import type { JsonObject, Parse } from './json.ts'
import { holdsJsonText, type Located, type PathNode } from './locate.ts'
import { alarm, type Findings, reading } from './readings.ts'
import { statusOf } from './status.ts'
import { isPlausible, momentOf } from './time.ts'
import { idOf, lostDigits, phoneOf, textOf, userIdOf, webAddressOf } from './values.ts'

/** Reads the facts that the app maps; they are sure, and none is guessed if the mapping finds nothing. */
export function readMapped(findings: Findings, body: JsonObject, parse: Parse): Pick<View, 'facts' | 'own'> {
  const facts: Record<string, Reading<unknown>> = {}
  const own: Record<string, Reading<unknown>> = Object.create(null)
  for (const mapped of mappedFacts(findings.context.mapping ?? {})) {
    const found = find(findings, mapped, body, parse)
    if (found === undefined || found === null) {
      if (!OPTIONAL_FACTS.has(mapped.name)) alarm(findings, 'fact_missing', mapped.name, mapped.path)
    } else if (!Object.hasOwn(READERS, mapped.name)) {
      const value = mapped.isFunction ? asJson(found) : scalarOf(found)
      if (value === undefined) unreadable(findings, mapped, found)
      else own[mapped.name] = reading(value, mapped.path, true, 'mapped')
    } else Object.assign(facts, readFact(findings, mapped, found))
  }
  return { facts, ...(Object.keys(own).length > 0 && { own }) }
}

/** The body as it would be if a message of a batch had come alone: each list on the way to it holds nothing else. */
export function isolated({ node }: Located): JsonObject {
  let json: JsonObject = node.object
  // A computed member never sets a prototype, whatever its name.
  for (let child: PathNode = node; child.parent; child = child.parent)
    json = { ...child.parent.object, [child.key]: child.index === undefined ? json : [json] }
  return json
}

// ── looking up ──────────────────────────────────────────────────────────────────────────────────────

interface MappedFact {
  readonly name: string
  /** As the app wrote it; `()` for a function. */
  readonly path: string
  readonly find: (json: JsonObject, parse: Parse) => unknown
  readonly isFunction: boolean
}

const compiled = new WeakMap<FactMapping, readonly MappedFact[]>()

/** The facts of a mapping; paths are split once, not for each delivery. */
function mappedFacts(mapping: FactMapping): readonly MappedFact[] {
  const known = compiled.get(mapping)
  if (known) return known
  const facts = Object.entries(mapping).map(([name, source]): MappedFact => {
    if (typeof source === 'function') return { name, path: '()', find: (json) => source(json), isFunction: true }
    const steps = source.split(/[.[\]]+/).filter((step) => step !== '')
    return { name, path: source, find: (json, parse) => follow(json, steps, parse), isFunction: false }
  })
  compiled.set(mapping, facts)
  return facts
}

/** True if any fact is found by a function of the app: such a mapping runs code that may be slow, or throw. */
export function holdsFunction(mapping: FactMapping): boolean {
  return mappedFacts(mapping).some(({ isFunction }) => isFunction)
}

function follow(json: JsonObject, steps: readonly string[], parse: Parse): unknown {
  let value: unknown = json
  let key = ''
  for (const step of steps) {
    if (holdsJsonText(key, value)) value = parse(value)
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as JsonObject)[step]
    key = step
  }
  return value
}

function find(findings: Findings, mapped: MappedFact, body: JsonObject, parse: Parse): unknown {
  try {
    const found = mapped.find(body, parse)
    if (!(found instanceof Promise)) return found
    found.catch(() => {})
    throw new TypeError('a fact is found at once')
  } catch {
    // The app's own function threw: a payload that it did not expect must not cost the delivery.
    alarm(findings, 'fact_unreadable', mapped.name, mapped.path)
    return undefined
  }
}

// ── reading what was found ──────────────────────────────────────────────────────────────────────────

const READERS: { readonly [K in keyof FactValues]: (value: unknown) => FactValues[K] | undefined } = {
  customer: phoneOf,
  userId: idOf,
  numberId: idOf,
  messageId: idOf,
  upstreamId: idOf,
  kind: kindOf,
  text: textOf,
  tapped: tappedOf,
  media: mediaOf,
  at: (value) => momentOf(value)?.ms,
  status: statusOf,
  failureReason: textOf,
  template: templateOf,
}

function readFact(findings: Findings, mapped: MappedFact, found: unknown): Facts {
  const { name, path } = mapped
  if (name === 'customer' && userIdOf(found) !== undefined)
    return { userId: reading(String(found), path, true, 'mapped') }
  const value = READERS[name as keyof FactValues](found)
  if (value === undefined) return unreadable(findings, mapped, found)
  if (name === 'customer' && ourNumbers(findings).includes(value as string)) {
    alarm(findings, 'fact_conflict', name, path)
    return {}
  }
  return { [name]: reading(value, path, name !== 'at' || isTimePlausible(findings, mapped, found), 'mapped') }
}

function isTimePlausible(findings: Findings, { path }: MappedFact, found: unknown): boolean {
  const moment = momentOf(found)
  if (!moment) return false
  const plausible = isPlausible(moment.ms, findings.context.now)
  if (!plausible || !moment.zoned) alarm(findings, 'fact_assumed', 'at', path)
  return plausible
}

function unreadable(findings: Findings, { name, path }: MappedFact, found: unknown): Facts {
  alarm(findings, lostDigits(found) ? 'unsafe_number' : 'fact_unreadable', name, path)
  return {}
}

function scalarOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'number' && !lostDigits(value) ? String(value) : undefined
}

/** A function's result as it is stored: as JSON, which has no form for NaN. */
function asJson(found: unknown): unknown {
  try {
    const json = JSON.stringify(found)
    return json === undefined || json === 'null' ? undefined : (JSON.parse(json) as unknown)
  } catch {
    return undefined
  }
}

function tappedOf(value: unknown): Tapped | undefined {
  const id = idOf(isRecord(value) ? value['id'] : value)
  return id === undefined ? undefined : { id, title: isRecord(value) ? textOf(value['title']) : undefined }
}

function mediaOf(value: unknown): Media | undefined {
  const url = webAddressOf(isRecord(value) ? value['url'] : value)
  if (url === undefined) return undefined
  const more = isRecord(value) ? value : {}
  const { mime, filename, caption, durationMs } = more
  return {
    kind: kindOf(more['kind']) ?? 'document',
    url,
    ...(typeof mime === 'string' && { mime }),
    ...(typeof filename === 'string' && { filename }),
    ...(typeof caption === 'string' && { caption }),
    ...(typeof durationMs === 'number' && { durationMs }),
  }
}

const TEMPLATE_MEMBERS = ['id', 'name', 'language', 'status', 'previousStatus', 'reason', 'category'] as const

function templateOf(value: unknown): TemplateChange | undefined {
  if (!isRecord(value)) return textOf(value) === undefined ? undefined : { name: String(value) }
  const members = TEMPLATE_MEMBERS.flatMap((name) => {
    const text = idOf(value[name])
    return text === undefined ? [] : [[name, text] as const]
  })
  return members.length > 0 ? Object.fromEntries(members) : undefined
}
