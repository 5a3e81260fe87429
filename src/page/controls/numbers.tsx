import { signal, useSignal } from '@preact/signals'
import { confirm } from '../../ui/components/dialog.tsx'
import { Checkbox } from '../../ui/components/fields.tsx'
import { runAction } from '../../ui/components/messages.ts'
import { change } from '../wire/control.ts'
import type { Account, ConnectedNumber } from '../wire/types.ts'

/** The numbers of the business. If two share a token, each send must name its number. */
export function Numbers({ numbers }: { numbers: readonly ConnectedNumber[] }) {
  const connect = (id: string, connected: boolean) =>
    changeAccount({ numbers: numbers.map((one) => ({ id: one.id, ...(one.id === id && { connected }) })) })
  const remove = (id: string) =>
    changeAccount({ numbers: numbers.filter((one) => one.id !== id).map((one) => ({ id: one.id })) })
  return (
    <>
      <h4>Numbers</h4>
      {numbers.map(({ id, display, connected, tokenPreview }) => (
        <article class="card stack" key={id}>
          <header>
            <b>{display}</b>
            <span class={`chip ${connected ? 'good' : 'bad'}`}>{connected ? 'connected' : 'disconnected'}</span>
          </header>
          <dl class="pairs">
            <div>
              <dt>Id</dt>
              <dd class="mono">{id}</dd>
            </div>
            <div>
              <dt>Token</dt>
              <dd class="mono">{tokenPreview}</dd>
            </div>
          </dl>
          <Checkbox
            label="Connected"
            hint="Without: 502 send_failed for each send."
            on={connected}
            set={(on) => connect(id, on)}
          />
          <div class="buttons">
            <button type="button" onClick={() => confirmRotation(id, display)}>
              Rotate the token
            </button>
            {numbers.length > 1 && (
              <button type="button" onClick={() => confirmRemoval(display, () => remove(id))}>
                Remove
              </button>
            )}
          </div>
        </article>
      ))}
      <AddNumber numbers={numbers} />
    </>
  )
}

function AddNumber({ numbers }: { numbers: readonly ConnectedNumber[] }) {
  const id = useSignal('')
  const add = (event: SubmitEvent) => {
    event.preventDefault()
    const all = [...numbers.map((one) => ({ id: one.id })), { id: id.value }]
    changeAccount({ numbers: all }, () => (id.value = ''))
  }
  return (
    <form class="line" onSubmit={add}>
      <label>
        Another number, by its id
        <input
          required
          pattern="\d{1,30}"
          title="Digits"
          inputMode="numeric"
          autocomplete="off"
          placeholder="109871234500012"
          value={id}
          onInput={({ currentTarget }) => (id.value = currentTarget.value)}
        />
      </label>
      <button type="submit" title="It holds the first number's token: sends must name a number then">
        Add
      </button>
    </form>
  )
}

function confirmRotation(id: string, display: string): void {
  confirm({
    title: 'Rotate the token?',
    text: `The token of ${display} ends at once, for all that hold it: your app gets 401 until it has the new one.`,
    action: 'Rotate',
    run: () => rotateToken(id),
  })
}

function confirmRemoval(display: string, run: () => void): void {
  confirm({
    title: 'Remove this number?',
    text: `${display} is no longer of this account. To see how your app fares without it, disconnecting is enough.`,
    action: 'Remove',
    run,
  })
}

/** The newest token, shown once. */
export const newToken = signal<string | undefined>(undefined)

/** Changes the account; `onDone` is called if the emulator accepts. */
export function changeAccount(settings: object, onDone?: () => void): void {
  runAction(async () => {
    await change('PUT', 'account', settings)
    onDone?.()
  })
}

/** Makes a new token for a number. The old one ends at once. */
function rotateToken(id: string): void {
  runAction(async () => {
    const { numbers } = await change<Account>('PUT', 'account', { rotate: id })
    newToken.value = numbers.find((number) => number.id === id)?.accessToken
  })
}
