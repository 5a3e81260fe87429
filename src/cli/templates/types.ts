import { type Entry, LOOSE } from './entry.ts'

/** By this line the command knows a file as its own. */
export const FIRST_LINE = '// written by `switchhook templates pull`'

const HEAD = `${FIRST_LINE}
// The number's templates as the service listed them: do not edit this, run the command again when they change.
`

/** A TypeScript module that fills `Templates` and `OneTimeCodes`; the same text for the same entries. */
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
