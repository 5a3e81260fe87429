import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Shown } from '../state/shown.ts'

interface DetailsProps<T> {
  readonly shown: Signal<Shown<T>>
  readonly title: string
  /** The address and the name of the list to which this one thing belongs. */
  readonly back: readonly [href: string, label: string]
  readonly actions: (value: T) => ComponentChildren
  readonly children: (value: T) => ComponentChildren
}

/** The page of one thing: its name, what can be done with it, and its parts. */
export function Details<T>({ shown, title, back: [href, label], actions, children }: DetailsProps<T>) {
  const { value, problem } = shown.value
  return (
    <div class="scroll page details">
      <div class="page-head">
        <a class="back" href={href}>
          ← {label}
        </a>
        <h2>{title}</h2>
        <span class="fill" />
        {value !== undefined && actions(value)}
      </div>
      {value === undefined ? <p class="empty">{problem === '' ? 'Reading…' : problem}</p> : children(value)}
    </div>
  )
}

/** Names and values, of which the absent ones are left out. */
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
