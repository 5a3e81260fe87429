import { useSignalEffect } from '@preact/signals'
import { notice, toast } from './messages.ts'

export function Notice({ dismiss = 'Dismiss' }: { dismiss?: string }) {
  return (
    <div class="notice" role="alert" hidden={notice.value === ''}>
      <p>{notice.value}</p>
      <button type="button" class="quiet" onClick={() => (notice.value = '')}>
        {dismiss}
      </button>
    </div>
  )
}

const TOAST_MS = 4_000

export function Toast() {
  useSignalEffect(() => {
    if (toast.value === '') return undefined
    const timer = setTimeout(() => (toast.value = ''), TOAST_MS)
    return () => clearTimeout(timer)
  })
  return (
    <p class="toast small" role="status">
      {toast}
    </p>
  )
}
