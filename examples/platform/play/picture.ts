/** The picture of a running platform, as lines of text. */
import { styleText } from 'node:util'
import type { Look } from './gauges.ts'
import type { Tally } from './phones.ts'

export interface Shown {
  readonly seconds: number
  readonly look: Look
  readonly tally: Tally
  readonly tenants: number
  /** The latest happenings, oldest first. */
  readonly news: readonly string[]
  /** The keys that do something, with what they do. */
  readonly keys: readonly string[]
}

const ROWS_OF_NEWS = 5

export function picture({ seconds, look, tally, tenants, news, keys }: Shown): string[] {
  const lately = news.slice(-ROWS_OF_NEWS)
  return [
    `${tenants} tenants on one database, for ${seconds} s`,
    '',
    dim('                stored/s   handled/s'),
    ...look.processes.map(
      ({ name, rates }) =>
        name.padEnd(12) +
        (rates ? cell(rates.stored) + cell(rates.handled) : styleText('yellow', '   does not answer')),
    ),
    '',
    `orders written            ${tally.written}`,
    `answered on the phones    ${tally.answered}, doubled ${tally.doubled}`,
    `not yet answered          ${openIn(tally)}`,
    `waiting in the database   ${look.waiting ?? 'unknown'}`,
    '',
    ...lately.map(dim),
    ...Array.from({ length: ROWS_OF_NEWS - lately.length }, () => ''),
    '',
    dim(keys.join('   ')),
  ]
}

/** The same in one line, for a log. */
export function line({ seconds, look, tally, tenants }: Shown): string {
  const processes = look.processes.map(({ name, rates }) =>
    rates ? `${name} ${(rates.stored + rates.handled).toFixed(0)}/s` : `${name} does not answer`,
  )
  const counts = `written ${tally.written}, answered ${tally.answered}, doubled ${tally.doubled}, open ${openIn(tally)}`
  return `${seconds} s, ${tenants} tenants: ${processes.join(', ')}; ${counts}; waiting ${look.waiting ?? 'unknown'}`
}

/** How it ended, counted at both ends: what customers wrote, and what their phones show. */
export function tallyLine({ written, answered, doubled }: Tally): string {
  return `Orders written ${written}, answered on the phones ${answered}: lost ${written - answered}, doubled ${doubled}.`
}

function openIn({ written, answered, oldest }: Tally): string {
  if (written === answered) return '0'
  return `${written - answered}, the oldest for ${((Date.now() - oldest) / 1_000).toFixed(1)} s`
}

function cell(value: number): string {
  return value.toFixed(1).padStart(12)
}

function dim(text: string): string {
  return styleText('dim', text)
}
