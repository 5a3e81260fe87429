import { useSignal } from '@preact/signals'
import { register } from './subscribe.ts'

/** Registers another endpoint. */
export function RegisterForm() {
  const url = useSignal('')
  return (
    <form
      class="line"
      onSubmit={(event) => {
        event.preventDefault()
        register(url.value.trim(), () => (url.value = ''))
      }}
    >
      <label>
        Another endpoint
        <input
          type="url"
          required
          autocomplete="off"
          placeholder="http://127.0.0.1:3000/webhooks/messages"
          value={url}
          onInput={(event) => (url.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit">Register</button>
    </form>
  )
}
