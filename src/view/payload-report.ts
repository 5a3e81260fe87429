import { maskFacts, maskPayload } from './mask.ts'
import { parseBody, readBody } from '../bot/inbox/payload/read-body.ts'
import { pathsOf } from './fact-paths.ts'
import { shapeOf } from '../bot/inbox/payload/shape.ts'
import type { FactMapping, PayloadContext, View } from '../bot/inbox/payload/facts.ts'
import type { Store } from '../store/store.ts'
import type { MappedPath } from '../store/database/meta.ts'
import type { RecordedDelivery } from '../store/reads/deliveries.ts'

export interface EventReport {
  readonly event: string
  deliveries: number
  /** The names of the facts that functions of the app find in a payload. */
  readonly functions: readonly string[]
  readonly shapes: ShapeReport[]
}

export interface ShapeReport {
  readonly fingerprint: string
  deliveries: number
  readonly truncated: boolean
  readonly paths: readonly { readonly path: string; readonly types: readonly string[] }[]
  readonly facts: Record<string, FoundFact>
  /** Masked: the kinds and statuses, which of them are unknown, and what functions of the app returned. */
  readonly notes: string[]
  /** Alarms about these payloads, such as `fact_conflict: customer at data.contact.phone`. */
  readonly doubts: string[]
}

export interface FoundFact {
  readonly path: string
  readonly how: string
  /** True if another path disagrees, or the path may contain something else. */
  doubtful: boolean
}

/** The most shapes in a report: a sender could vary payloads without end. */
const MOST_SHAPES = 200

export async function reportPayloads(
  reader: Pick<Store, 'recordedDeliveries' | 'listDeliveries' | 'mapping'>,
  query: RecordedQuery,
): Promise<EventReport[]> {
  const mapping = await readMapping(reader)
  const events = new Map<string, EventReport>()
  for await (const delivery of recordedIn(reader, query)) {
    let report = events.get(delivery.event)
    if (!report) {
      report = { event: delivery.event, deliveries: 0, functions: mapping.functions(delivery.event), shapes: [] }
      events.set(delivery.event, report)
    }
    addDelivery(report, delivery, mapping)
  }
  return [...events.values()].sort((a, b) => (a.event < b.event ? -1 : 1))
}

function addDelivery(report: EventReport, { body: bytes, facts }: RecordedDelivery, mapping: Mapping): void {
  const context = { event: report.event, deliveryId: undefined, now: Date.now(), ...mapping.of(report.event) }
  const parsed = parseBody(bytes)
  const reading = readBody(bytes, context)
  if ('refused' in parsed || 'refused' in reading) return
  report.deliveries++
  const { fingerprint, paths, truncated } = shapeOf(parsed.json)
  let shape = report.shapes.find((one) => one.fingerprint === fingerprint)
  if (!shape) {
    if (report.shapes.length >= MOST_SHAPES) return
    shape = { fingerprint, deliveries: 0, truncated, paths: typed(paths), facts: {}, notes: [], doubts: [] }
    report.shapes.push(shape)
  }
  shape.deliveries++
  for (const view of reading.views) addFacts(shape, view, parsed.json, report.functions)
  addReturned(shape, facts, report.functions)
}

/** Adds what the app's functions returned when the bot read the payload: a command cannot run these functions. */
function addReturned(shape: ShapeReport, stored: string | null | undefined, names: readonly string[]): void {
  const { values = {}, own = {} } = JSON.parse(stored ?? '{}') as Record<string, Record<string, unknown>>
  const shown: Record<string, unknown> = { ...(maskPayload(own) as object), ...maskFacts(values) }
  for (const name of names) note(shape, `${name}: your function returned ${JSON.stringify(shown[name]) ?? 'nothing'}`)
}

const MOST_NOTES = 100

function note({ notes }: ShapeReport, line: string): void {
  if (notes.length < MOST_NOTES && !notes.includes(line)) notes.push(line)
}

/** Groups lines such as `data.from:string` and `data.from:null` by their path. */
function typed(lines: readonly string[]): ShapeReport['paths'] {
  const types = new Map<string, string[]>()
  for (const line of lines) {
    const end = line.lastIndexOf(':')
    // The option `facts` accepts paths of this form.
    const path = line.slice(0, end).replaceAll('[]', '[0]')
    types.set(path, [...(types.get(path) ?? []), line.slice(end + 1)])
  }
  return [...types].map(([path, of]) => ({ path, types: of }))
}

function addFacts(
  shape: ShapeReport,
  view: View,
  body: Readonly<Record<string, unknown>>,
  functions: readonly string[],
): void {
  const readings = new Map<string, { readonly how: string; readonly sure: boolean }>(Object.entries(view.facts))
  for (const [name, path] of Object.entries(pathsOf(view, body))) {
    const reading = readings.get(name.split('.')[0] ?? '')
    if (!reading || !isShown(shape, path)) continue
    const fact = (shape.facts[name] ??= { path: path.replaceAll(INDEX, '[0]'), how: reading.how, doubtful: false })
    fact.doubtful ||= !reading.sure
  }
  for (const [name, option] of [
    ['kind', 'kinds'],
    ['status', 'statuses'],
  ] as const) {
    const word = view.facts[name]?.value
    const isUnknown = view.alarms.some(({ code }) => code === `unknown_${name}`)
    const mark = isUnknown ? ` (unknown: say what it means by the option ${option})` : ''
    if (word !== undefined && !functions.includes(name))
      note(shape, `${name}: ${String(maskPayload(word, name))}${mark}`)
  }
  for (const { code, fact, path } of view.alarms) {
    const doubt = `${code}${fact ? `: ${fact}` : ''}${path !== undefined && isShown(shape, path) ? ` at ${path}` : ''}`
    if (!shape.doubts.includes(doubt)) shape.doubts.push(doubt)
  }
}

const INDEX = /\[\d+\]/g

/** False for a path that the report leaves out, because its member names may be data. */
function isShown({ paths }: ShapeReport, path: string): boolean {
  const shown = path.replaceAll(INDEX, '[0]')
  return paths.some((one) => one.path === shown)
}

export function howOf({ how, doubtful }: FoundFact): string {
  return doubtful ? `${how}, in doubt` : how
}

interface RecordedQuery {
  readonly event?: string | undefined
  readonly receivedFrom?: number | undefined
}

const AT_ONCE = 100

type Recorded = Pick<Store, 'recordedDeliveries' | 'listDeliveries'>

/** Yields deliveries, oldest first. Ends at the delivery that was the newest at the start, even if more arrive. */
export async function* recordedIn(reader: Recorded, query: RecordedQuery) {
  const { deliveries } = await reader.listDeliveries({ limit: 1 })
  const newest = deliveries[0]?.seq ?? 0
  let after = 0
  while (after < newest) {
    const page = await reader.recordedDeliveries({ ...query, after, limit: AT_ONCE })
    yield* page.filter(({ seq }) => seq <= newest)
    after = page.length < AT_ONCE ? newest : (page.at(-1)?.seq ?? newest)
  }
}

export interface Mapping {
  of(event: string): Pick<PayloadContext, 'mapping' | 'words'>
  /** Returns the names of the facts that functions of the app find in payloads of an event. */
  functions(event: string): readonly string[]
}

/** Stored in place of the path of a fact that a function of the app finds. */
const FUNCTION = '()'

export async function readMapping(store: Pick<Store, 'mapping'>): Promise<Mapping> {
  const rows = await store.mapping()
  const wordsIn = (name: string) => {
    const kept = rows.find(({ event, fact }) => event === '' && fact === name)?.path ?? '[]'
    return new Map(JSON.parse(kept) as [word: string, meant: string][])
  }
  const words = { kinds: wordsIn('kinds'), statuses: wordsIn('statuses') }
  const mappings = new Map<string, FactMapping | undefined>()
  return {
    of(event) {
      // One object for each event, because the reader caches what it derives from a mapping.
      if (!mappings.has(event)) mappings.set(event, mappingIn(rows.filter((row) => row.event === event)))
      return { mapping: mappings.get(event), words }
    },
    functions: (event) => rows.filter((row) => row.event === event && row.path === FUNCTION).map(({ fact }) => fact),
  }
}

function mappingIn(rows: readonly MappedPath[]): FactMapping | undefined {
  const paths = rows
    .filter(({ path }) => path !== FUNCTION)
    .map(({ fact, path }) => [fact, path.startsWith('["') ? (JSON.parse(path) as string[]) : path] as const)
  return paths.length === 0 ? undefined : Object.fromEntries(paths)
}
