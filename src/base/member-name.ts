const PLAIN = /^[A-Za-z_$][\w$]*$/
// Line breaks, invisible characters, and those that change the direction of the text around them.
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Writes a member's name for TypeScript: bare, or in quotes with all that could end them escaped. */
export function memberName(name: string): string {
  if (PLAIN.test(name) && name !== '__proto__') return name
  const quoted = JSON.stringify(name).slice(1, -1).replaceAll("'", String.raw`\'`)
  return `'${quoted.replaceAll(INVISIBLE, escaped)}'`
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
