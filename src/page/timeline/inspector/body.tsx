import { signal } from '@preact/signals'
import { Json, type JsonValue } from './json.tsx'
import { Long } from './long.tsx'

/** Whether bodies are shown as they stand; it holds for all that is opened. */
const raw = signal(false)

/** As a tree a larger one would be slow to draw. */
const TREE_UP_TO = 100_000

/** A body, as a tree where it is JSON. */
export function Body({ text }: { text: string }) {
  if (text === '') return <p class="muted">No body.</p>
  const json = text.length > TREE_UP_TO ? undefined : parsed(text)
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
    return { value: JSON.parse(text) as JsonValue }
  } catch {
    return undefined
  }
}
