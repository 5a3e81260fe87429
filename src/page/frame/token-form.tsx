import { notice } from '../../ui/components/messages.ts'
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
