import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { notice } from '../ui/components/messages.ts'
import { get, mayReveal, post, version } from './server.ts'

export interface Shown<T> {
  readonly value: T | undefined
  readonly problem: string
  readonly isRevealed: boolean
}

/** The paths of revealed views. All of them are masked again when the person goes to another view. */
const revealed = signal<ReadonlySet<string>>(new Set())

addEventListener('hashchange', () => (revealed.value = new Set()))

export function maskAgain(path: string, why: string): void {
  notice.value = why
  revealed.value = new Set([...revealed.peek()].filter((one) => one !== path))
}

export function isRevealed(path: string): boolean {
  return revealed.value.has(path)
}

/** A button that reveals one view, or masks it again. Each press that reveals is recorded. Absent for a person who may not reveal. */
export function Reveal({ path }: { path: string }) {
  if (!mayReveal.value) return null
  const on = isRevealed(path)
  const others = [...revealed.value].filter((one) => one !== path)
  return (
    <button
      type="button"
      class={`reveal ${on ? 'on' : ''}`}
      aria-pressed={on}
      title={
        on
          ? 'Mask numbers, names and texts again'
          : 'Numbers, names and texts of this view are shown. That is recorded.'
      }
      onClick={() => (revealed.value = new Set(on ? others : [...others, path]))}
    >
      {on ? 'Revealed' : 'Reveal'}
    </button>
  )
}

/**
 * Reads a view, and again whenever something has changed. A revealed view is not read again, because each read would be
 * recorded. An answer that a later question has overtaken is dropped.
 */
export function useShown<T>(path: string): Signal<Shown<T>> {
  const shown = useMemo(() => signal<Shown<T>>({ value: undefined, problem: '', isRevealed: false }), [path])
  const reveal = isRevealed(path)
  const asOf = reveal ? -1 : version.value
  useEffect(() => {
    const abort = new AbortController()
    // A view is masked at once, and does not wait for an answer.
    if (!reveal && shown.peek().isRevealed) shown.value = { value: undefined, problem: '', isRevealed: false }
    const asked = reveal ? post<T>('api/reveal', { view: path }) : get<T>(path, abort.signal)
    asked.then(
      (value) => {
        if (!abort.signal.aborted) shown.value = { value, problem: '', isRevealed: reveal }
      },
      (error: Error) => {
        if (abort.signal.aborted) return
        if (reveal) maskAgain(path, error.message)
        else if (shown.peek().value === undefined)
          shown.value = { value: undefined, problem: error.message, isRevealed: false }
        else notice.value = error.message
      },
    )
    return () => abort.abort()
  }, [path, asOf, reveal])
  return shown
}
