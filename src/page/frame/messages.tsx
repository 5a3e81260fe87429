import { useSignalEffect } from '@preact/signals'
import { notice, toast } from '../components/messages.ts'
import { parseToken, setControlToken, tokenMissing } from '../wire/control.ts'

/** Asks for the control token, without which the page shows nothing. */
export function TokenForm() {
  if (!tokenMissing.value) return null
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const token = (event.currentTarget as HTMLFormElement).querySelector('input')?.value ?? ''
    setControlToken(parseToken(token))
    notice.value = ''
  }
  return (
    <form class="token-form" onSubmit={submit}>
      <p>
        Conversations are for whoever has this run’s control token. Open the address that the terminal printed, or paste
        it here.
      </p>
      <label>
        Control token
        <input name="token" autocomplete="off" spellcheck={false} required />
      </label>
      <button type="submit">Use it</button>
    </form>
  )
}

/** Shows the notice until it is dismissed. */
export function Notice() {
  return (
    <div class="notice" role="alert" hidden={notice.value === ''}>
      <p>{notice.value}</p>
      <button type="button" class="quiet" onClick={() => (notice.value = '')}>
        Dismiss
      </button>
    </div>
  )
}

const TOAST_MS = 4_000

/** Shows the toast for a few seconds. */
export function Toast() {
  useSignalEffect(() => {
    if (toast.value === '') return undefined
    const timer = setTimeout(() => (toast.value = ''), TOAST_MS)
    return () => clearTimeout(timer)
  })
  return (
    <p class={`toast ${toast.value === '' ? '' : 'shown'}`} role="status">
      {toast}
    </p>
  )
}
