import { useComputed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { attempt } from '../components/messages.ts'
import { happenings } from '../state/follow.ts'
import { change, read } from '../wire/control.ts'
import type { RememberedKey } from '../wire/types.ts'

/** More than these are no help to anybody. */
const SHOWN = 50

/** The idempotency keys that the service remembers, the latest first. */
export function RememberedKeys() {
  const keys = useSignal<readonly RememberedKey[]>([])
  const latest = useComputed(() => happenings.value.findLast(({ kind }) => kind === 'api' || kind === 'control')?.id)
  useEffect(() => {
    read<{ items: readonly RememberedKey[] }>('keys').then(
      ({ items }) => (keys.value = items.toReversed()),
      () => undefined,
    )
  }, [latest.value])
  const all = keys.value
  return (
    <details class="more">
      <summary>
        Idempotency keys <span class="muted">{all.length}</span>
      </summary>
      {all.length === 0 ? (
        <p class="hint">None is remembered. A send with an Idempotency-Key stands here.</p>
      ) : (
        <div class="buttons">
          <button type="button" onClick={() => letService('release')} title="Settles what a fault holds in flight">
            Release all
          </button>
          <button
            type="button"
            onClick={() => letService('forget')}
            title="As after the time for which it remembers them"
          >
            Forget all
          </button>
        </div>
      )}
      <ul class="rows">
        {all.slice(0, SHOWN).map((one) => (
          <KeyRow key={`${one.number} ${one.key}`} of={one} />
        ))}
      </ul>
      {all.length > SHOWN && <p class="hint">And {all.length - SHOWN} older ones.</p>}
    </details>
  )
}

function KeyRow({ of: { key, state, held } }: { of: RememberedKey }) {
  return (
    <li>
      <code class="cut" title={key}>
        {key}
      </code>
      <span class={`chip ${state === 'in_flight' ? 'warn' : ''}`}>{wordsOf(state, held)}</span>
      {state === 'settled' && (
        <button type="button" class="quiet" onClick={() => letService('forget', key)}>
          Forget<span class="visually-hidden"> {key}</span>
        </button>
      )}
      {held !== undefined && (
        <button type="button" class="quiet" onClick={() => letService('release', key)}>
          Release<span class="visually-hidden"> {key}</span>
        </button>
      )}
    </li>
  )
}

function wordsOf(state: RememberedKey['state'], held: RememberedKey['held']): string {
  if (state === 'settled') return 'settled'
  if (held === undefined) return 'in flight'
  return held === null ? 'held' : `held for ${held}`
}

/** Lets the service release or forget one key, or all. */
function letService(what: 'release' | 'forget', key?: string): void {
  attempt(() => change('POST', `keys/${what}`, key === undefined ? {} : { key }))
}
