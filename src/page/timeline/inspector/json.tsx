import type { JsonValue } from '../tree.ts'

interface JsonProps {
  readonly value: JsonValue
  /** The member that it is, where it is one. */
  readonly name?: string
}

/** A value of JSON; objects and lists fold. */
export function Json({ value, name }: JsonProps) {
  const label = name === undefined ? null : <span class="json-name">{name}: </span>
  if (typeof value !== 'object' || value === null)
    return (
      <div class="json-leaf">
        {label}
        <span class={`json-${value === null ? 'null' : typeof value}`}>{JSON.stringify(value)}</span>
      </div>
    )
  const isList = Array.isArray(value)
  const members = Object.entries(value)
  if (members.length === 0)
    return (
      <div class="json-leaf">
        {label}
        {isList ? '[]' : '{}'}
      </div>
    )
  return (
    <details class="json-node" open>
      <summary>
        {label}
        <span class="muted">{isList ? `[ ${members.length} ]` : `{ ${members.length} }`}</span>
      </summary>
      {members.map(([member, inner]) => (
        <Json key={member} name={member} value={inner} />
      ))}
    </details>
  )
}
