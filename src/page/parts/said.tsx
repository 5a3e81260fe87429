import { useSignalEffect } from '@preact/signals'
import { said } from '../state/said.ts'

const SHOWN_MS = 4_000

/** What was just done, for a while; a screen reader says it. */
export function Said() {
  useSignalEffect(() => {
    if (said.value === '') return undefined
    const timer = setTimeout(() => (said.value = ''), SHOWN_MS)
    return () => clearTimeout(timer)
  })
  return (
    <p class={`said ${said.value === '' ? '' : 'shown'}`} role="status">
      {said}
    </p>
  )
}
