const PLAIN = /^[A-Za-z_$][\w$]*$/
// Line breaks, and whatever is not seen or turns the text around it.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu

/** A member's name as TypeScript takes it: bare, or quoted with all that could end the quotes escaped. */
export function memberName(name: string): string {
  if (PLAIN.test(name) && name !== '__proto__') return name
  const quoted = JSON.stringify(name).slice(1, -1).replaceAll("'", String.raw`\'`)
  return `'${quoted.replaceAll(UNSEEN, escaped)}'`
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
