import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Select } from '../../ui/components/fields.tsx'
import { runAction, toast } from '../../ui/components/messages.ts'
import { customer } from '../state/view.ts'
import { parseJson } from '../../ui/text/json.ts'
import { change, read } from '../wire/control.ts'
import type { EventExample } from '../wire/types.ts'

/** Sends any event by hand, signed like every other, starting from an example payload. */
export function TestEvent() {
  const examples = useSignal<readonly EventExample[]>([])
  const event = useSignal('message.received')
  const payload = useSignal('')
  const about = customer.value

  const show = (name: string) => {
    event.value = name
    payload.value = indented(examples.value.find((one) => one.event === name)?.payload)
  }
  const load = async () => {
    const { items } = await read<{ items: readonly EventExample[] }>(`events/examples?customer=${about}`)
    examples.value = items
    show(event.value)
  }
  useEffect(() => runAction(load), [about])

  const send = (submit: SubmitEvent) => {
    submit.preventDefault()
    runAction(async () => {
      await change('POST', 'events', { event: event.value, customer: about, ...bodyOf(payload.value) })
      toast.value = `${event.value} was sent.`
    })
  }
  return (
    <details class="more">
      <summary>Send a test event</summary>
      <form class="stack" onSubmit={send}>
        <Select
          label="Event"
          value={event.value}
          options={examples.value.map(({ event, label }) => [
            event,
            label === 'declared' ? `${event} (not confirmed)` : event,
          ])}
          set={show}
        />
        <label>
          Payload
          <textarea
            class="mono"
            rows={9}
            spellcheck={false}
            value={payload}
            onInput={({ currentTarget }) => (payload.value = currentTarget.value)}
          />
        </label>
        <p class="hint">Text that is no JSON goes out as it stands. Nothing else changes: no phone, no window.</p>
        <div class="buttons">
          <button type="submit" class="primary">
            Send
          </button>
          <button type="button" onClick={() => runAction(load)}>
            Another example
          </button>
        </div>
      </form>
    </details>
  )
}

function indented(payload: object | undefined): string {
  return payload === undefined ? '' : JSON.stringify(payload, null, 2)
}

/** Sends JSON as a payload, and any other text as the raw body. */
function bodyOf(text: string): { payload: unknown } | { raw: string } {
  const payload = parseJson(text)
  return payload === undefined ? { raw: text } : { payload }
}
