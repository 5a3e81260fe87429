import type { Sent } from '../message-view.ts'
import type { PlayExpected } from './file.ts'

/** Compares messages with the expected ones: a line for each, two if they differ. Undefined if nothing differs. */
export function difference(expected: readonly PlayExpected[], sent: readonly Sent[]): string | undefined {
  const pairs = Array.from({ length: Math.max(expected.length, sent.length) }, (_, index) => ({
    wanted: expected[index],
    got: sent[index],
  }))
  if (pairs.every(({ wanted, got }) => wanted && got && fits(got, wanted))) return undefined
  return pairs.map(({ wanted, got }) => linesOf(wanted, got)).join('\n')
}

/** Tells whether a message has all expected members. */
export function fits(got: Sent, { to, text, kind, template, options, refused }: PlayExpected): boolean {
  return (
    got.refused?.code === refused &&
    isAny(to, got.to) &&
    isAny(text, got.text) &&
    isAny(kind, got.kind) &&
    (options === undefined || isSame(options, titlesOf(got))) &&
    (template === undefined || fitsTemplate(got.template, template))
  )
}

function fitsTemplate(got: Sent['template'], { name, language, body }: NonNullable<PlayExpected['template']>): boolean {
  return got?.name === name && isAny(language, got.language) && (body === undefined || isSame(body, got.body))
}

function isAny(expected: string | undefined, got: string): boolean {
  return expected === undefined || expected === got
}

function isSame(expected: readonly string[], got: readonly string[]): boolean {
  return expected.length === got.length && expected.every((one, index) => one === got[index])
}

function titlesOf({ options }: Sent): string[] {
  return options.map(({ title }) => title)
}

function linesOf(wanted: PlayExpected | undefined, got: Sent | undefined): string {
  if (wanted && got && fits(got, wanted)) return `    ${describeExpected(expectationOf(got))}`
  const expected = wanted ? describeExpected(wanted) : 'nothing more'
  const came = got ? describeExpected(expectationOf(got)) : 'nothing more'
  return `  - expected ${expected}\n  + came     ${came}`
}

/** Turns a message into the expectation that a file would hold for it. */
export function expectationOf({ to, text, kind, template, options, refused }: Sent): PlayExpected {
  return {
    to,
    ...(kind !== 'text' && !template && { kind }),
    ...(text !== '' && { text }),
    ...(options.length > 0 && { options: options.map(({ title }) => title) }),
    ...(template && { template: { name: template.name, language: template.language, body: template.body } }),
    ...(refused && { refused: refused.code }),
  }
}

/** Describes a message for people, in one line: `"Which one?" [Track order] [Hours] to 255712000101`. */
export function describeExpected({ to, text, kind, template, options, refused }: PlayExpected): string {
  const parts = [
    kind,
    template && `template ${template.name}${template.language === undefined ? '' : ` (${template.language})`}`,
    template?.body && template.body.length > 0 && `with ${template.body.map(quoted).join(', ')}`,
    text !== undefined && quoted(text),
    options && (options.length > 0 ? options.map((title) => `[${title}]`).join(' ') : 'without options'),
    to !== undefined && `to ${to}`,
    refused !== undefined && `refused as ${refused}`,
  ]
  return parts.filter(Boolean).join(' ') || 'any message'
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
