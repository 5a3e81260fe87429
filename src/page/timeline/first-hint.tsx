import { signal, useComputed, useSignalEffect } from '@preact/signals'
import { Icon } from '../../ui/components/icon.tsx'
import { store, stored } from '../../ui/components/storage.ts'
import { entries } from './list-state.ts'

const STORAGE_KEY = 'switchhook.hint-seen'

const isSeen = signal(stored('localStorage', STORAGE_KEY) !== null)

/** Says at the first run how the timeline is read. It goes away for good once it is dismissed or a turn was unfolded. */
export function FirstHint() {
  const hasTurn = useComputed(() => entries.value.some(({ kind }) => kind === 'turn')).value
  useSignalEffect(() => {
    if (!isSeen.peek() && entries.value.some((entry) => entry.kind === 'turn' && entry.isOpen)) dismiss()
  })
  if (!hasTurn || isSeen.value) return null
  return (
    <p class="first-hint">
      <span>
        Each line is a turn: what a customer wrote and all that followed. A click or <kbd>Enter</kbd> unfolds it;{' '}
        <kbd>?</kbd> lists all keys.
      </span>
      <button type="button" class="quiet icon-button" aria-label="Dismiss this hint" title="Dismiss" onClick={dismiss}>
        <Icon name="close" />
      </button>
    </p>
  )
}

function dismiss(): void {
  isSeen.value = true
  store('localStorage', STORAGE_KEY, 'yes')
}
