import { signal, useSignal } from '@preact/signals'
import { fitsTree, type JsonValue, parseJson } from '../text/json.ts'

/** Lists headers as they went over the wire. */
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

/** True while bodies are shown as text. The choice holds for all details. */
const isRaw = signal(false)

/** Shows a body: as a tree if it is JSON and not too large, otherwise as text. */
export function Body({ text }: { text: string }) {
  if (text === '') return <p class="muted">No body.</p>
  const value = parseJson(text)
  const isTree = value !== undefined && fitsTree(value)
  return (
    <div class="body">
      <p class="body-head">
        <span class="muted">{new TextEncoder().encode(text).length.toLocaleString('en')} bytes</span>
        {isTree && (
          <button type="button" class="quiet" aria-pressed={isRaw.value} onClick={() => (isRaw.value = !isRaw.value)}>
            Raw
          </button>
        )}
      </p>
      {isTree && !isRaw.value ? (
        <div class="json">
          <JsonTree value={value} />
        </div>
      ) : (
        <LongText text={text} />
      )}
    </div>
  )
}

/** Shows a JSON value, in which objects and lists fold. */
function JsonTree({ value, name }: { readonly value: JsonValue; readonly name?: string }) {
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
        <JsonTree key={member} name={member} value={inner} />
      ))}
    </details>
  )
}

const MAX_SHOWN = 1_200

/** Shows a text as it is. A long one is cut until the reader asks for all of it. */
export function LongText({ text }: { text: string }) {
  const all = useSignal(false)
  const isCut = text.length > MAX_SHOWN && !all.value
  return (
    <>
      <pre class="raw">{isCut ? `${text.slice(0, MAX_SHOWN)}…` : text}</pre>
      {isCut && (
        <button type="button" class="quiet" onClick={() => (all.value = true)}>
          Show all {text.length} characters
        </button>
      )}
    </>
  )
}
