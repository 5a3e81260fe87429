import { computed, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { now } from '../state/clock.ts'
import { customers, readDigits, windowOf, type WindowState } from '../state/customers.ts'
import { numberId } from '../state/open-customer.ts'
import { customer, pane } from '../state/view.ts'
import { spanText, timeOfDay } from '../text/time.ts'
import type { Customer, ThreadItem } from '../wire/types.ts'

/** Everybody who has a conversation, the one who was heard of last first. */
export function Conversations() {
  const all = customers.value
  return (
    <section class="conversations" aria-label="Conversations">
      <CustomerField />
      {all.length === 0 ? (
        <p class="hint">Nobody has written yet. Write as the customer on the phone, and they stand here.</p>
      ) : (
        <ul aria-label="Conversations">
          {all.map((one) => (
            <ConversationRow key={one.customer} of={one} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** One conversation: who, the last words, when, and how long the window stays open. */
export function ConversationRow({ of }: { of: Customer }) {
  // As words, so that the row is drawn anew when they change and not each second.
  const window = useMemo(
    () =>
      computed(() => {
        const state = windowOf(of, numberId.value, now.value)
        return `${state.is}|${windowWords(state)}`
      }),
    [of],
  )
  const [tone = '', left = ''] = window.value.split('|')
  return (
    <li>
      <button
        type="button"
        class="conversation"
        aria-current={customer.value === of.customer ? 'true' : undefined}
        onClick={() => {
          customer.value = of.customer
          pane.value = 'phone'
        }}
      >
        <span class="who">{of.customer}</span>
        <time class="muted">{of.last && timeOfDay(of.last.at)}</time>
        <span class="last muted" dir="auto">
          {of.last ? lastWords(of.last) : 'Nothing was said yet'}
        </span>
        <span class={`window-left ${tone}`}>
          <i class="dot" aria-hidden="true" />
          {left}
        </span>
      </button>
    </li>
  )
}

function windowWords({ is, leftMs }: WindowState): string {
  if (is === 'never') return 'no window'
  return is === 'closed' ? 'closed' : `open ${roughly(leftMs)}`
}

/** In its largest unit alone. */
function roughly(ms: number): string {
  return spanText(ms).split(' ').slice(0, 2).join(' ')
}

function lastWords({ text, kind, refused }: ThreadItem): string {
  const words = text === null || text.trim() === '' ? (refused?.code ?? kind) : text
  return refused ? `✕ ${words}` : words
}

/** Becomes somebody else, also somebody who never wrote. */
export function CustomerField() {
  const given = useSignal('')
  const isWrong = useSignal(false)
  const become = (event: SubmitEvent) => {
    event.preventDefault()
    const digits = readDigits(given.value)
    isWrong.value = digits === undefined
    if (digits === undefined) return
    customer.value = digits
    pane.value = 'phone'
    given.value = ''
  }
  return (
    <form class="customer-field" onSubmit={become} noValidate>
      <label for="customer">Customer</label>
      <div class="line">
        <input
          id="customer"
          inputMode="tel"
          autocomplete="off"
          placeholder="255712000102"
          value={given}
          aria-invalid={isWrong.value}
          aria-describedby={isWrong.value ? 'customer-wrong' : undefined}
          onInput={(event) => {
            given.value = event.currentTarget.value
            isWrong.value = false
          }}
        />
        <button type="submit" title="Be this customer: their phone opens">
          Be them
        </button>
      </div>
      {isWrong.value && (
        <p class="wrong" id="customer-wrong" role="alert">
          A number in full international format: 6 to 15 digits, no zero in front.
        </p>
      )}
    </form>
  )
}
