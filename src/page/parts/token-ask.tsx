import { takeToken, tokenMissing } from '../state/token.ts'

/** Without the control token the page only looks. */
export function TokenAsk() {
  if (!tokenMissing.value) return null
  const take = (event: SubmitEvent) => {
    event.preventDefault()
    const token = (event.currentTarget as HTMLFormElement).querySelector('input')?.value ?? ''
    // A whole address is what people copy.
    const [, given = ''] = /(?:#|&|^)(?:token=)?([\w-]+)$/.exec(token.trim()) ?? []
    takeToken(given)
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
