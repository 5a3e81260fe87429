import { oneLine, table } from '../support/output.ts'
import type { EventReport, FactReport, ShapeReport } from '../../inspect/payload-report.ts'

export function reportText(events: readonly EventReport[]): string[] {
  return events.flatMap((event, i) => [...(i > 0 ? [''] : []), ...blockOf(event)])
}

function blockOf({ event, deliveries, messages, since, facts, shapes }: EventReport): string[] {
  const counts = [count(deliveries, 'delivery', 'deliveries'), count(messages, 'message', 'messages')]
  const name = event === '' ? 'other events' : oneLine(event)
  return [
    `${name}: ${counts.join(', ')}${since === undefined ? '' : `, since ${day(since)}`}`,
    ...table([['FACT', 'FOUND', 'SURE', 'HOW', 'PATH', 'SINCE'], ...facts.flatMap(rowsOf)]),
    ...shapesText(shapes),
  ]
}

function rowsOf({ fact, found, of, places, doubts }: FactReport): string[][] {
  const rows = [
    ...places.map((place) => [
      `${place.found} of ${of}`,
      place.sure === place.found ? 'yes' : place.sure === 0 ? 'no' : `${place.sure} of ${place.found}`,
      place.how,
      place.path === '' ? '(elsewhere)' : place.path,
      day(place.since),
    ]),
    ...doubts.map(({ seen, doubt, path, since }) => [`${seen} of ${of}`, '', doubt, path, day(since)]),
  ]
  if (found === 0) rows.unshift([`0 of ${of}`, '', '', '', ''])
  return rows.map((row, i) => [i === 0 ? fact : '', ...row])
}

/** Shapes shown of an event, and paths of a shape. */
const SHOWN = 8

function shapesText([main, ...others]: readonly ShapeReport[]): string[] {
  if (!main) return []
  const lines = others.slice(0, SHOWN).flatMap((shape) => [headOf(shape), ...differences(shape, main)])
  const more = others.length - SHOWN
  return [headOf(main), ...lines, ...(more > 0 ? [`and ${more} more shapes; --json has them all`] : [])]
}

function headOf({ fingerprint, deliveries, since, paths, truncated }: ShapeReport): string {
  const came = count(deliveries, 'delivery', 'deliveries')
  if (fingerprint === '') return `other shapes, for which there was no room: ${came}`
  const size = `${truncated ? 'more than ' : ''}${count(paths.length, 'path', 'paths')}`
  return `shape ${fingerprint}: ${came}, ${size}${since === undefined ? '' : `, since ${day(since)}`}`
}

function differences(shape: ShapeReport, main: ShapeReport): string[] {
  if (shape.fingerprint === '' || main.fingerprint === '') return []
  const signed = [
    ...shape.paths.filter((path) => !main.paths.includes(path)).map((path) => `  + ${path}`),
    ...main.paths.filter((path) => !shape.paths.includes(path)).map((path) => `  - ${path}`),
  ]
  const more = signed.length - SHOWN
  return [...signed.slice(0, SHOWN), ...(more > 0 ? [`    and ${more} more`] : [])].map(oneLine)
}

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`
}

function day(time: string | undefined): string {
  return time?.slice(0, 10) ?? ''
}
