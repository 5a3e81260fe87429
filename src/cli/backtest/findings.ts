import type { Changed, Comparison } from '../../backtest/compare.ts'
import type { Difference } from '../../backtest/difference.ts'
import type { Said } from '../../backtest/recording.ts'
import { maskPhone } from '../../base/mask.ts'
import { maskReason } from '../../inspect/mask.ts'
import { LONG_DIGITS } from '../../inspect/harmless.ts'

/** A part of a text: in both versions, in the earlier one alone, or in the later one alone. */
export interface Part {
  readonly in: 'both' | 'before' | 'after'
  readonly text: string
}

/** The same difference at any number of deliveries, as people see it. */
export interface Finding {
  readonly kind: Difference['kind']
  readonly route: string
  readonly parts: readonly Part[]
  /** Deliveries, or causes, that have it. */
  readonly ids: readonly string[]
}

/** Puts like differences together, the most frequent first. Without `reveal` letters and digits of texts are masked. */
export function findingsOf({ changed }: Comparison, reveal: boolean): Finding[] {
  const found = new Map<string, { kind: Difference['kind']; route: string; parts: readonly Part[]; ids: string[] }>()
  for (const one of changed)
    for (const difference of one.differences) {
      const parts = partsOf(difference, reveal)
      const route = routeOf(one, difference)
      const key = JSON.stringify([difference.kind, route, parts])
      const known = found.get(key) ?? { kind: difference.kind, route, parts, ids: [] }
      found.set(key, known)
      known.ids.push(shownId(one.id, reveal))
    }
  return [...found.values()].sort((a, b) => b.ids.length - a.ids.length)
}

/** Names of causes hold the digits of a phone. */
export function shownId(id: string, reveal: boolean): string {
  return reveal ? id : id.replace(/(?<= to )\d+$/, maskPhone)
}

function routeOf({ route, id }: Changed, difference: Difference): string {
  const threw = difference.kind === 'failed' ? difference.failure?.route : undefined
  return maskedRoute(threw ?? route ?? id.replace(/ to \d+$/, ''))
}

function partsOf(difference: Difference, reveal: boolean): Part[] {
  switch (difference.kind) {
    case 'different': {
      const { before, after } = difference
      const labels =
        labelOf(before) === labelOf(after) ? [] : [...labelIn('before', before), ...labelIn('after', after)]
      return [...labels, ...diffOf(contentOf(before), contentOf(after)).map((part) => shown(part, reveal))]
    }
    case 'new':
      return [...labelIn('after', difference.after), shown({ in: 'after', text: contentOf(difference.after) }, reveal)]
    case 'missing':
      return [
        ...labelIn('before', difference.before),
        shown({ in: 'before', text: contentOf(difference.before) }, reveal),
      ]
    case 'other_route':
      return [
        { in: 'before', text: maskedRoute(difference.before ?? 'none') },
        { in: 'after', text: maskedRoute(difference.after ?? 'none') },
      ]
    case 'failed':
    case 'mended':
      return [{ in: 'after', text: failureText(difference, reveal) }]
  }
}

function shown(part: Part, reveal: boolean): Part {
  return reveal ? part : { ...part, text: masked(part.text) }
}

function labelIn(version: Part['in'], said: Said): Part[] {
  const text = labelOf(said)
  return text === '' ? [] : [{ in: version, text: `(${text}) ` }]
}

/** Describes a message in words of the app's and the service's, with nothing of its text. */
function labelOf({ kind, template, refused, fellBack }: Said): string {
  const parts = [
    refused && `refused: ${refused.code}`,
    template ? `template ${template.name}, ${template.language}` : kind !== 'text' && kind,
    fellBack && 'outside the window',
  ]
  return parts.filter(Boolean).join(', ')
}

function failureText(difference: Extract<Difference, { kind: 'failed' | 'mended' }>, reveal: boolean): string {
  const outcome = difference.outcome.replace('_', ' ')
  const error = 'failure' in difference ? difference.failure?.error : undefined
  if (error === undefined) return outcome
  return `${outcome}: ${reveal ? error : maskReason(error)}`
}

/** All that a customer reads in a message, in one line. */
function contentOf({ text, options, media, more }: Said): string {
  const titles = options.length > 0 && `[${options.map(({ title }) => title).join(' | ')}]`
  return [text, titles, media, more].filter(Boolean).join(' ')
}

/** The words that differ, between those that both texts begin and end with. */
function diffOf(before: string, after: string): Part[] {
  const [a, b] = [wordsOf(before), wordsOf(after)]
  const shorter = Math.min(a.length, b.length)
  let head = 0
  while (head < shorter && a[head] === b[head]) head++
  let tail = 0
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const parts: Part[] = [
    { in: 'both', text: a.slice(0, head).join('') },
    { in: 'before', text: a.slice(head, a.length - tail).join('') },
    { in: 'after', text: b.slice(head, b.length - tail).join('') },
    { in: 'both', text: a.slice(a.length - tail).join('') },
  ]
  return parts.filter(({ text }) => text !== '')
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[^\s]+/g) ?? []
}

/** Its words' lengths stay, so that a change can be seen. */
function masked(text: string): string {
  return text.replaceAll(/[\p{L}\p{N}\p{M}]/gu, '•')
}

/** A route may be named by a phone number. */
function maskedRoute(route: string): string {
  return route.replaceAll(LONG_DIGITS, maskPhone)
}
