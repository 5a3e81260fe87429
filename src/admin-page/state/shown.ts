import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { notice } from '../../ui/components/messages.ts'
import { get, post } from '../wire/ask.ts'

/** A view of one thing, as it was answered last. */
export interface Shown<T> {
  readonly value: T | undefined
  /** The reason why there is no value. */
  readonly problem: string
  readonly isRevealed: boolean
}

/** Paths whose numbers and texts are shown until the reader goes to another view: a press reveals one view alone. */
const revealed = signal<ReadonlySet<string>>(new Set())

addEventListener('hashchange', () => (revealed.value = new Set()))

/** Shows numbers, names and texts of one view, or masks them again. Each press is recorded, with the person's name. */
export function toggleRevealed(path: string): void {
  const next = new Set(revealed.peek())
  if (!next.delete(path)) next.add(path)
  revealed.value = next
}

/** A view that could not be revealed is masked, and says so. */
export function maskAgain(path: string, why: string): void {
  notice.value = why
  revealed.value = new Set([...revealed.peek()].filter((one) => one !== path))
}

export function isRevealed(path: string): boolean {
  return revealed.value.has(path)
}

/**
 * Asks for a view, and again whenever `version` rises; a revealed one stays as it is, since each question would be
 * recorded. An answer that a later question has overtaken is dropped.
 */
export function useShown<T>(path: string, version: number): Signal<Shown<T>> {
  const shown = useMemo(() => signal<Shown<T>>({ value: undefined, problem: '', isRevealed: false }), [path])
  const reveal = isRevealed(path)
  const asOf = reveal ? -1 : version
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
