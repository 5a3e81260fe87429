/** A line of source is not longer. */
const LINE = 116

/** A value of JSON as source; `margin` stands before its later lines, and `before` before its first one. */
export function literal(value: unknown, margin = '', before = margin): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const inner = `${margin}  `
  const members = isList
    ? value.map((one) => literal(one, inner))
    : Object.entries(value).map(([name, member]) => `${nameOf(name)}: ${literal(member, inner, `${inner}${name}: `)}`)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const line = members.join(', ')
  if (members.length === 0) return open + close
  if (before.length + line.length <= LINE && !line.includes('\n')) return isList ? `[${line}]` : `{ ${line} }`
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${margin}${close}`
}

export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

function nameOf(name: string): string {
  // Bare, this one would set the prototype.
  if (name === '__proto__') return "['__proto__']"
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}
