import type { ComponentChildren } from 'preact'
import { signal, useSignal } from '@preact/signals'
import { formatJson } from '../text/json.ts'

export function Facts({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  const present = of.filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false)
  if (present.length === 0) return null
  return (
    <dl class="facts">
      {present.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export function Headers({ headers }: { headers: Readonly<Record<string, string>> }) {
  const all = Object.entries(headers)
  if (all.length === 0) return null
  return (
    <details class="headers" open>
      <summary class="muted small">{all.length === 1 ? '1 header' : `${all.length} headers`}</summary>
      <Facts of={all} />
    </details>
  )
}

/** True while bodies are shown unformatted. Applies to all details. */
const isRaw = signal(false)

export function Body({ text }: { text: string }) {
  if (text === '') return <p class="muted">No body.</p>
  const formatted = formatJson(text)
  return (
    <div class="body">
      <p class="body-head line small">
        <span class="muted">{new TextEncoder().encode(text).length.toLocaleString('en')} bytes</span>
        {formatted !== undefined && (
          <button type="button" class="quiet" aria-pressed={isRaw.value} onClick={() => (isRaw.value = !isRaw.value)}>
            Raw
          </button>
        )}
      </p>
      <LongText text={isRaw.value ? text : (formatted ?? text)} />
    </div>
  )
}

const MAX_SHOWN = 4_000

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
