import { signal, useSignal } from '@preact/signals'
import { fitsTree, type JsonValue } from '../../text/json.ts'

/** Headers as they went over the wire, folded until they are asked for where they are many. */
export function Headers({ headers }: { headers: Readonly<Record<string, string>> }) {
  const all = Object.entries(headers)
  if (all.length === 0) return null
  return (
    <details class="headers" open>
      <summary>{all.length === 1 ? '1 header' : `${all.length} headers`}</summary>
      <dl>
        {all.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

/** Whether bodies are shown as they stand; it holds for all that is opened. */
const raw = signal(false)

/** A body, as a tree where it is JSON and not too large for one. */
export function Body({ text }: { text: string }) {
  if (text === '') return <p class="muted">No body.</p>
  const json = parsed(text)
  const asTree = json !== undefined && !raw.value
  return (
    <div class="body">
      <p class="body-head">
        <span class="muted">{new TextEncoder().encode(text).length.toLocaleString('en')} bytes</span>
        {json !== undefined && (
          <button type="button" class="quiet" aria-pressed={raw.value} onClick={() => (raw.value = !raw.value)}>
            Raw
          </button>
        )}
      </p>
      {asTree ? (
        <div class="json">
          <Json value={json.value} />
        </div>
      ) : (
        <Long text={text} />
      )}
    </div>
  )
}

function parsed(text: string): { readonly value: JsonValue } | undefined {
  try {
    const value = JSON.parse(text) as JsonValue
    return fitsTree(value) ? { value } : undefined
  } catch {
    return undefined
  }
}

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

const SHOWN = 1_200

/** A text as it stands; a long one is cut until it is asked for. */
export function Long({ text }: { text: string }) {
  const all = useSignal(false)
  const isCut = text.length > SHOWN && !all.value
  return (
    <>
      <pre class="raw">{isCut ? `${text.slice(0, SHOWN)}…` : text}</pre>
      {isCut && (
        <button type="button" class="quiet" onClick={() => (all.value = true)}>
          Show all {text.length} characters
        </button>
      )}
    </>
  )
}
