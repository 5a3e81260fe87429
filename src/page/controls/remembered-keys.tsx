import { useComputed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { runAction } from '../../ui/components/messages.ts'
import { happenings } from '../state/follow.ts'
import { change, read } from '../wire/control.ts'
import type { RememberedKey } from '../wire/types.ts'

/** The most keys that are listed: a longer list would help nobody. */
const MAX_SHOWN = 50

/** Lists the idempotency keys that the service remembers, the latest first. */
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
          <button type="button" onClick={() => changeKeys('release')} title="Settles what a fault holds in flight">
            Release all
          </button>
          <button
            type="button"
            onClick={() => changeKeys('forget')}
            title="As after the time for which it remembers them"
          >
            Forget all
          </button>
        </div>
      )}
      <ul class="rows">
        {all.slice(0, MAX_SHOWN).map((one) => (
          <KeyRow key={`${one.number} ${one.key}`} of={one} />
        ))}
      </ul>
      {all.length > MAX_SHOWN && <p class="hint">And {all.length - MAX_SHOWN} older ones.</p>}
    </details>
  )
}

function KeyRow({ of: { key, state, held } }: { of: RememberedKey }) {
  return (
    <li>
      <code class="cut" title={key}>
        {key}
      </code>
      <span class={`chip ${state === 'in_flight' ? 'warn' : ''}`}>{stateText(state, held)}</span>
      {state === 'settled' && (
        <button type="button" class="quiet" onClick={() => changeKeys('forget', key)}>
          Forget<span class="visually-hidden"> {key}</span>
        </button>
      )}
      {held !== undefined && (
        <button type="button" class="quiet" onClick={() => changeKeys('release', key)}>
          Release<span class="visually-hidden"> {key}</span>
        </button>
      )}
    </li>
  )
}

function stateText(state: RememberedKey['state'], held: RememberedKey['held']): string {
  if (state === 'settled') return 'settled'
  if (held === undefined) return 'in flight'
  return held === null ? 'held' : `held for ${held}`
}

function changeKeys(what: 'release' | 'forget', key?: string): void {
  runAction(() => change('POST', `keys/${what}`, key === undefined ? {} : { key }))
}
