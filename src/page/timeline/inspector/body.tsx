import { signal } from '@preact/signals'
import { fitsTree, type JsonValue } from '../tree.ts'
import { Json } from './json.tsx'
import { Long } from './long.tsx'

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
