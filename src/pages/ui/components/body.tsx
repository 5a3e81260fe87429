import type { ComponentChildren } from 'preact'
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
  return (
    <div class="headers">
      <Facts of={Object.entries(headers)} />
    </div>
  )
}

export function Body({ text }: { text: string }) {
  return text === '' ? <p class="muted">No body.</p> : <Raw text={formatJson(text) ?? text} />
}

/** Words in backticks are code. */
export function Sentence({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
}

/** The tab index lets the keyboard scroll a long text. */
export function Raw({ text }: { text: string }) {
  return (
    <pre class="raw" tabIndex={0}>
      {text}
    </pre>
  )
}
