import { parseBody } from '../../bot/in/payload/json.ts'
import { pathsOf } from '../../bot/in/payload/fact-paths.ts'
import { readBody } from '../../bot/in/payload/read.ts'
import { shapeOf } from '../../bot/in/payload/shape.ts'
import type { FactMapping, View } from '../../bot/in/payload/facts.ts'
import type { MappedPath } from '../../store/types/types.ts'
import type { Store } from '../../store/store.ts'

export interface EventReport {
  readonly event: string
  deliveries: number
  readonly shapes: ShapeReport[]
}

export interface ShapeReport {
  readonly fingerprint: string
  deliveries: number
  readonly truncated: boolean
  readonly paths: readonly { readonly path: string; readonly types: readonly string[] }[]
  readonly facts: Record<string, FoundFact>
  /** Alarms of its payloads, such as `fact_conflict: customer at data.contact.phone`. */
  readonly doubts: string[]
}

export interface FoundFact {
  readonly path: string
  readonly how: string
  /** Another path disagrees, or the path may contain something else. */
  doubtful: boolean
}

/** Nobody reads more, and a sender could vary the shapes of payloads. */
const MOST_SHAPES = 200

export async function reportPayloads(
  reader: Pick<Store, 'recordedDeliveries' | 'listDeliveries' | 'mapping'>,
  query: RecordedQuery,
): Promise<EventReport[]> {
  const mappingOf = await readMapping(reader)
  const events = new Map<string, EventReport>()
  for await (const delivery of recordedIn(reader, query)) {
    let report = events.get(delivery.event)
    if (!report) events.set(delivery.event, (report = { event: delivery.event, deliveries: 0, shapes: [] }))
    addDelivery(report, delivery.body, mappingOf)
  }
  return [...events.values()].sort((a, b) => (a.event < b.event ? -1 : 1))
}

function addDelivery(report: EventReport, bytes: Uint8Array, mappingOf: MappingOf): void {
  const context = {
    event: report.event,
    deliveryId: undefined,
    now: Date.now(),
    mapping: mappingOf(report.event),
  }
  const parsed = parseBody(bytes)
  const reading = readBody(bytes, context)
  if ('refused' in parsed || 'refused' in reading) return
  report.deliveries++
  const { fingerprint, paths, truncated } = shapeOf(parsed.json)
  let shape = report.shapes.find((one) => one.fingerprint === fingerprint)
  if (!shape) {
    if (report.shapes.length >= MOST_SHAPES) return
    shape = { fingerprint, deliveries: 0, truncated, paths: typed(paths), facts: {}, doubts: [] }
    report.shapes.push(shape)
  }
  shape.deliveries++
  for (const view of reading.views) addFacts(shape, view, parsed.json)
}

/** `data.from:string` and `data.from:null` as one path with two types. */
function typed(lines: readonly string[]): ShapeReport['paths'] {
  const types = new Map<string, string[]>()
  for (const line of lines) {
    const end = line.lastIndexOf(':')
    const path = line.slice(0, end)
    types.set(path, [...(types.get(path) ?? []), line.slice(end + 1)])
  }
  return [...types].map(([path, of]) => ({ path, types: of }))
}

function addFacts(shape: ShapeReport, view: View, body: Readonly<Record<string, unknown>>): void {
  const readings = new Map<string, { readonly how: string; readonly sure: boolean }>(Object.entries(view.facts))
  for (const [name, path] of Object.entries(pathsOf(view, body))) {
    const reading = readings.get(name.split('.')[0] ?? '')
    if (!reading || !isShown(shape, path)) continue
    const fact = (shape.facts[name] ??= { path: path.replaceAll(INDEX, '[0]'), how: reading.how, doubtful: false })
    fact.doubtful ||= !reading.sure
  }
  for (const { code, fact, path } of view.alarms) {
    const doubt = `${code}${fact ? `: ${fact}` : ''}${path !== undefined && isShown(shape, path) ? ` at ${path}` : ''}`
    if (!shape.doubts.includes(doubt)) shape.doubts.push(doubt)
  }
}

export const INDEX = /\[\d+\]/g

/** False for a path with a name that may be data, which a shape does not show. */
function isShown({ paths }: ShapeReport, path: string): boolean {
  const shown = path.replaceAll(INDEX, '[]')
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

/**
 * Yields matching deliveries in the order of their arrival. Stops at the delivery that was newest at the start, because
 * on a busy bot deliveries may arrive faster than the caller reads them.
 */
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

export type MappingOf = (event: string) => FactMapping | undefined

/** A fact that a function of the app finds. No command can run it. */
const FUNCTION = '()'

export async function readMapping(store: Pick<Store, 'mapping'>): Promise<MappingOf> {
  const rows = await store.mapping()
  const mappings = new Map<string, FactMapping | undefined>()
  return (event) => {
    // One object for each event, because the reader caches what it derives from a mapping.
    if (!mappings.has(event)) mappings.set(event, mappingIn(rows.filter((row) => row.event === event)))
    return mappings.get(event)
  }
}

function mappingIn(rows: readonly MappedPath[]): FactMapping | undefined {
  const paths = rows.filter(({ path }) => path !== FUNCTION).map(({ fact, path }) => [fact, pathsIn(path)] as const)
  return paths.length === 0 ? undefined : Object.fromEntries(paths)
}

function pathsIn(path: string): string | string[] {
  return path.startsWith('["') ? (JSON.parse(path) as string[]) : path
}
