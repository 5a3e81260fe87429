import { useSignal } from '@preact/signals'

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
