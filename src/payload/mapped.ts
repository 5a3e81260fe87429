import { isRecord } from '../base/value.ts'
import { kindOf } from './content.ts'
import { ourNumbers } from './customer.ts'
import { alarm, type Evidence, reading } from './evidence.ts'
import type { Facts, FactValues, Media, Reading, Tapped, TemplateChange, View } from './facts.ts'
import type { JsonObject, Parse } from './json.ts'
import { type MappedFact, mappedFacts } from './mapping.ts'
import { statusOf } from './progress.ts'
import { isPlausible, momentOf } from './time.ts'
import { idOf, lostDigits, phoneOf, textOf, userIdOf, webAddressOf } from './values.ts'

type Readers = { readonly [K in keyof FactValues]: (value: unknown) => FactValues[K] | undefined }

const READERS: Readers = {
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

/** Facts that not every message has: nothing to find is no fault of the mapping. */
const OFTEN_ABSENT = new Set(['userId', 'upstreamId', 'text', 'tapped', 'media', 'failureReason'])

/** What the app's mapping finds; it is sure, and no guess takes its place where it finds nothing. */
export function readMapped(evidence: Evidence, body: JsonObject, parse: Parse): Pick<View, 'facts' | 'own'> {
  const facts: Record<string, Reading<unknown>> = {}
  const own: Record<string, Reading<unknown>> = Object.create(null)
  for (const mapped of mappedFacts(evidence.context.mapping ?? {})) {
    const found = find(evidence, mapped, body, parse)
    if (found === undefined || found === null) {
      if (!OFTEN_ABSENT.has(mapped.name)) alarm(evidence, 'fact_missing', mapped.name, mapped.path)
    } else if (!Object.hasOwn(READERS, mapped.name)) {
      const value = mapped.isFunction ? keptOf(found) : scalarOf(found)
      if (value === undefined) unreadable(evidence, mapped, found)
      else own[mapped.name] = reading(value, mapped.path, true, 'mapped')
    } else Object.assign(facts, readFact(evidence, mapped, found))
  }
  return { facts, ...(Object.keys(own).length > 0 && { own }) }
}

function find(evidence: Evidence, mapped: MappedFact, body: JsonObject, parse: Parse): unknown {
  try {
    const found = mapped.find(body, parse)
    if (!(found instanceof Promise)) return found
    found.catch(() => {})
    throw new TypeError('a fact is found at once')
  } catch {
    // The app's own function: a payload that it did not expect must not cost the delivery.
    alarm(evidence, 'fact_unreadable', mapped.name, mapped.path)
    return undefined
  }
}

function readFact(evidence: Evidence, mapped: MappedFact, found: unknown): Facts {
  const { name, path } = mapped
  if (name === 'customer' && userIdOf(found) !== undefined)
    return { userId: reading(String(found), path, true, 'mapped') }
  const value = READERS[name as keyof FactValues](found)
  if (value === undefined) return unreadable(evidence, mapped, found)
  if (name === 'customer' && ourNumbers(evidence).includes(value as string)) {
    alarm(evidence, 'fact_conflict', name, path)
    return {}
  }
  return { [name]: reading(value, path, name !== 'at' || isTrueTime(evidence, mapped, found), 'mapped') }
}

function isTrueTime(evidence: Evidence, { path }: MappedFact, found: unknown): boolean {
  const moment = momentOf(found)
  if (!moment) return false
  const plausible = isPlausible(moment.ms, evidence.context.now)
  if (!plausible || !moment.zoned) alarm(evidence, 'fact_assumed', 'at', path)
  return plausible
}

function unreadable(evidence: Evidence, { name, path }: MappedFact, found: unknown): Facts {
  alarm(evidence, lostDigits(found) ? 'unsafe_number' : 'fact_unreadable', name, path)
  return {}
}

function scalarOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'number' && !lostDigits(value) ? String(value) : undefined
}

/** What a function gave, as it is kept: as JSON, which has no form for NaN. */
function keptOf(found: unknown): unknown {
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
