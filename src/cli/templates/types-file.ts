import { type Entry, LOOSE } from './entry.ts'

/** The first line, by which the command recognises its own file. */
export const FIRST_LINE = '// written by `switchhook templates pull`'

const HEAD = `${FIRST_LINE}
// The number's templates as the service listed them: do not edit this, run the command again when they change.
`

/** A TypeScript module that declares `Templates` and `OneTimeCodes`; the same entries give the same text. */
export function typesText(entries: readonly Entry[]): string {
  const loose = entries.some(({ type }) => type === LOOSE)
  const module = loose ? `import type { ${LOOSE} } from 'switchhook'` : 'export {}'
  const interfaces = (['Templates', 'OneTimeCodes'] as const).map((of) =>
    interfaceText(
      of,
      entries.filter((entry) => entry.of === of),
    ),
  )
  return `${HEAD}${module}\n\ndeclare module 'switchhook' {\n${interfaces.join('')}}\n`
}

function interfaceText(of: Entry['of'], entries: readonly Entry[]): string {
  if (entries.length === 0) return ''
  const members = [...Map.groupBy(entries, ({ name }) => name)].map(([name, languages]) => {
    const lines = languages.map(({ language, type }) => `      ${language}: ${type}\n`)
    return `    ${name}: {\n${lines.join('')}    }\n`
  })
  return `  interface ${of} {\n${members.join('')}  }\n`
}

const TOKEN = /\s+|\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[\w$]+|[^\s\w$]/g

const NOT_READ = /^(?:\s|\/\/|\/\*|[;,]$)/

interface Token {
  readonly text: string
  readonly at: number
}

/**
 * Reads the text of `typesText`, even if a formatter has changed its quotes, semicolons and line breaks. Unreadable
 * parts are left out.
 */
export function readTypes(text: string): Entry[] {
  const tokens = [...text.matchAll(TOKEN)]
    .map((match): Token => ({ text: match[0], at: match.index }))
    .filter((token) => !NOT_READ.test(token.text))
  return tokens.flatMap((token, at) => {
    const of = tokens[at + 1]?.text
    if (token.text !== 'interface' || (of !== 'Templates' && of !== 'OneTimeCodes')) return []
    return members(text, tokens, at + 2).flatMap((name) =>
      members(text, tokens, name.from).map((language) => {
        return { of, name: name.name, language: language.name, type: language.type } as const
      }),
    )
  })
}

interface Member {
  readonly name: string
  readonly type: string
  /** The index of the type's first token. */
  readonly from: number
}

/** The members between braces, from the index of the opening one: `name: type` with a word or braces as the type. */
function members(text: string, tokens: readonly Token[], open: number): Member[] {
  const found: Member[] = []
  if (tokens[open]?.text !== '{') return found
  for (let at = open + 1; tokens[at + 1]?.text === ':'; ) {
    const [name, , first] = tokens.slice(at, at + 3)
    const end = endOf(tokens, at + 2)
    const last = tokens[end]
    if (name === undefined || first === undefined || last === undefined) break
    const type = text.slice(first.at, last.at + last.text.length).replaceAll(/\s+/g, ' ')
    found.push({ name: name.text.replace(/^"(.*)"$/, "'$1'"), type, from: at + 2 })
    at = end + 1
  }
  return found
}

/** The index of a type's last token: its only word, or its closing brace. */
function endOf(tokens: readonly Token[], from: number): number {
  let depth = 0
  for (let at = from; at < tokens.length; at++) {
    if (tokens[at]?.text === '{') depth++
    if (tokens[at]?.text === '}') depth--
    if (depth <= 0) return at
  }
  return tokens.length
}
