import { computed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { spanText, timeOfDay } from '../../parts/time.ts'
import { now } from '../../state/clock.ts'
import { numberId } from '../../state/number.ts'
import { customer, pane } from '../../state/view.ts'
import { windowOf, type WindowState } from '../../state/window.ts'
import type { Customer, ThreadItem } from '../../wire/types.ts'

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
