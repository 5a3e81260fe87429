import { useSignalEffect } from '@preact/signals'
import { notice, said } from '../components/messages.ts'
import { reloadThreads } from '../state/threads.ts'
import { takeToken, tokenIn, tokenMissing } from '../wire/control.ts'

/** Without the control token the page only looks. */
export function TokenAsk() {
  if (!tokenMissing.value) return null
  const take = (event: SubmitEvent) => {
    event.preventDefault()
    const token = (event.currentTarget as HTMLFormElement).querySelector('input')?.value ?? ''
    takeToken(tokenIn(token))
    notice.value = ''
    // One-time codes are shown to those alone who have it.
    reloadThreads().catch(() => undefined)
  }
  return (
    <form class="token-ask" onSubmit={take}>
      <p>
        You can look, but not touch: changes need this run’s control token. Open the address that the terminal printed,
        or paste it here.
      </p>
      <label>
        Control token
        <input name="token" autocomplete="off" spellcheck={false} required />
      </label>
      <button type="submit">Use it</button>
    </form>
  )
}

/** What went wrong with something that was asked for, until it is put away. */
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
