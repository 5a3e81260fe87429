import { LIMITS } from '../contract/index.ts'
import { array, bounded, kindOf, type Limit, members, type Place, refuse } from './check.ts'
import { built, type Choice, type Option } from './content.ts'

/**
 * A text of at most 1024 characters with one to three reply buttons (SEND-06, SEND-07).
 * Ids have 1 to 256 characters and must not repeat, titles 1 to 20; the footer has at most 60.
 */
export function buttons<const O extends readonly Option[]>(
  body: string,
  options: O,
  more?: { footer?: string | undefined },
): Choice<O[number]['id']> {
  const builder = 'buttons()'
  const { footer } = members(builder, more, ['footer'])
  const given = array({ builder, path: 'options' }, options)
  count({ builder, path: 'options' }, given.length, LIMITS.buttons, 'buttons', 'use list() for up to 10')
  const shown = given.map((option, at) => {
    const { id, title, description } = optionAt({ builder, path: `options[${at}]` }, option)
    if (description !== undefined)
      refuse({ builder, path: `options[${at}].description` }, 'would be lost, a button has none: use list()')
    return {
      id: bounded({ builder, path: `options[${at}].id` }, id, LIMITS.buttonId),
      title: bounded({ builder, path: `options[${at}].title` }, title, LIMITS.buttonTitle),
    }
  })
  const ids = unrepeated(builder, shown)
  return built(
    { kind: 'choice' as const, ids },
    {
      type: 'interactive',
      interactive: { type: 'buttons', ...bodyAndFooter(builder, body, footer), buttons: shown },
    },
  )
}

type Sections = { readonly [title: string]: readonly Option[] }
type IdsOf<R> = (R extends readonly Option[] ? R : R extends Sections ? R[keyof R] : never)[number]['id']

/**
 * A text with a menu of 1 to 10 rows in total (SEND-08): an array, or `{ 'Section title': rows }`.
 * Ids have 1 to 200 characters and must not repeat, not even across sections; titles have 1 to 24, section
 * titles at most 24, descriptions at most 72. `button` opens the menu: at most 20, the service says `View` by default.
 */
export function list<const R extends readonly Option[] | Sections>(
  body: string,
  rows: R,
  more?: { button?: string | undefined; footer?: string | undefined },
): Choice<IdsOf<R>> {
  const builder = 'list()'
  const { button, footer } = members(builder, more, ['button', 'footer'])
  const sections = sectionsOf(builder, rows)
  const shown = sections.flatMap((section) => section.rows)
  count({ builder, path: 'rows' }, shown.length, LIMITS.rows, 'rows in total', 'show fewer, with a row for the rest')
  const ids = unrepeated(builder, shown)
  return built(
    { kind: 'choice' as const, ids },
    {
      type: 'interactive',
      interactive: {
        type: 'list',
        ...bodyAndFooter(builder, body, footer),
        ...(button !== undefined && {
          button_text: bounded({ builder, path: 'button' }, button, LIMITS.listButtonText),
        }),
        sections,
      },
    },
  )
}

function sectionsOf(builder: string, rows: unknown) {
  if (Array.isArray(rows)) return [{ rows: rows.map((row, at) => rowAt({ builder, path: `rows[${at}]` }, row)) }]
  if (typeof rows !== 'object' || rows === null)
    refuse({ builder, path: 'rows' }, `must be an array, or an object of arrays by section title, got ${kindOf(rows)}`)
  return Object.entries(rows).map(([title, members], at) => {
    const path = `section ${at + 1}`
    const given = array({ builder, path }, members)
    if (given.length === 0) refuse({ builder, path }, 'must have at least one row, got 0: leave it out')
    return {
      ...(title !== '' && { title: bounded({ builder, path: `the title of ${path}` }, title, LIMITS.sectionTitle) }),
      rows: given.map((row, index) => rowAt({ builder, path: `${path}, row[${index}]` }, row)),
    }
  })
}

function rowAt(place: Place, row: unknown) {
  const { id, title, description } = optionAt(place, row)
  const at = (name: string) => ({ ...place, path: `${place.path}.${name}` })
  return {
    id: bounded(at('id'), id, LIMITS.rowId),
    title: bounded(at('title'), title, LIMITS.rowTitle),
    ...(description !== undefined && {
      description: bounded(at('description'), description, LIMITS.rowDescription),
    }),
  }
}

function optionAt(place: Place, option: unknown): { id?: unknown; title?: unknown; description?: unknown } {
  if (typeof option !== 'object' || option === null)
    refuse(place, `must be an object { id, title }, got ${kindOf(option)}`)
  return option
}

export function bodyAndFooter(builder: string, body: unknown, footer: unknown) {
  return {
    body: bounded({ builder, path: 'the text' }, body, LIMITS.interactiveBody, 'send a text of its own before it'),
    ...(footer !== undefined && { footer: bounded({ builder, path: 'footer' }, footer, LIMITS.interactiveFooter) }),
  }
}

function count(place: Place, came: number, { min = 0, max }: Limit, what: string, advice: string): void {
  if (came < min || came > max)
    refuse(place, `must be ${min} to ${max} ${what}, got ${came}: ${came < min ? 'add one' : advice}`)
}

function unrepeated(builder: string, options: readonly { readonly id: string }[]): string[] {
  const ids = options.map((option) => option.id)
  const again = ids.findIndex((id, at) => ids.indexOf(id) < at)
  if (again >= 0)
    refuse(
      { builder, path: `the id of option ${again + 1}` },
      `repeats that of option ${ids.indexOf(ids[again] as string) + 1}: a tap could not be told from the other`,
    )
  return ids
}
