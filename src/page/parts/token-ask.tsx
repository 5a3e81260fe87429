import { notice } from '../state/notice.ts'
import { reloadThreads } from '../state/threads.ts'
import { takeToken, tokenIn, tokenMissing } from '../state/token.ts'

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
