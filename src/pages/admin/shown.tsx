import { reasonOf } from '../../base/errors.ts'
import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { notice } from '../ui/components/messages.ts'
import { get, mayReveal, post, version } from './server.ts'

interface Shown<T> {
  readonly value?: T
  readonly problem: string
}

/** The path of the view that is revealed. Opening another view masks it again. */
const revealed = signal<string | undefined>(undefined)

addEventListener('hashchange', () => (revealed.value = undefined))

/** A button that reveals a view, or masks it again. The server records each time that a view is revealed. */
export function Reveal({ path }: { path: string }) {
  if (!mayReveal.value) return null
  const on = revealed.value === path
  return (
    <button
      type="button"
      aria-pressed={on}
      title={on ? 'Mask it again' : 'Show numbers, names and texts of this view. That is recorded.'}
      onClick={() => (revealed.value = on ? undefined : path)}
    >
      {on ? 'Revealed' : 'Reveal'}
    </button>
  )
}

/** Reads a view, again after each change. A revealed view is read only once, because each such read is recorded. */
export function useShown<T>(path: string): Shown<T> {
  const reveal = revealed.value === path
  // A new, empty signal whenever `reveal` changes, so that nothing revealed stays until the next answer.
  const shown = useMemo(() => signal<Shown<T>>({ problem: '' }), [path, reveal])
  const asOf = reveal ? 'revealed' : version.value
  useEffect(() => {
    const abort = new AbortController()
    const asked = reveal ? post<T>('api/reveal', { view: path }) : get<T>(path, abort.signal)
    asked.then(
      (value) => {
        if (!abort.signal.aborted) shown.value = { value, problem: '' }
      },
      (error: unknown) => {
        if (abort.signal.aborted) return
        if (reveal) revealed.value = undefined
        if (reveal || shown.peek().value !== undefined) notice.value = reasonOf(error)
        else shown.value = { problem: reasonOf(error) }
      },
    )
    return () => abort.abort()
  }, [path, asOf, reveal])
  return shown.value
}

export function NoAnswer({ problem }: { problem: string }) {
  return <p class="empty">{problem === '' ? 'Reading…' : problem}</p>
}
