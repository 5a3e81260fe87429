import { signal, useSignal } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { closeModal, Modal } from '../components/dialog.tsx'
import { customers } from '../state/customers.ts'
import { customer } from '../state/view.ts'
import { Keys } from './help.tsx'
import { type Group, GROUPS, keysOf, makesSense, search, type Shortcut, shortcuts } from './registry.ts'

/** What the palette offers: everything, or one group; undefined while it is closed. */
export const palette = signal<'all' | Group | undefined>(undefined)

/** Of more than these nobody looks for one: another letter leaves fewer. */
const SHOWN = 100

/** Finds anything that can be done by a few letters of it, and does it. */
export function Palette({ offers }: { offers: 'all' | Group }) {
  const all = useMemo(() => offered(offers), [offers])
  const query = useSignal('')
  const at = useSignal(0)
  const found = search(all, query.value).slice(0, SHOWN)
  const list = useRef<HTMLUListElement>(null)
  const chosen = Math.min(at.value, found.length - 1)

  useLayoutEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  const run = (it: Shortcut | undefined, inside: Element) => {
    if (it === undefined) return
    closeModal(inside)
    it.run()
  }
  const keyed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && found.length > 0) at.value = (chosen + step + found.length) % found.length
    else if (event.key === 'Enter') run(found[chosen], event.currentTarget as Element)
    else return
    event.preventDefault()
  }
  return (
    <Modal title="Do something" class="palette" closed={() => close(offers)}>
      <input
        role="combobox"
        aria-label="What to do"
        aria-expanded={true}
        aria-controls="palette-list"
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined}
        placeholder={offers === 'all' ? 'What do you want to do?' : `${offers}: what?`}
        autocomplete="off"
        spellcheck={false}
        value={query}
        onInput={(event) => {
          query.value = event.currentTarget.value
          at.value = 0
        }}
        onKeyDown={keyed}
      />
      <ul role="listbox" id="palette-list" aria-label="What can be done" ref={list}>
        {found.map((it, index) => (
          <li
            key={it.does}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={({ currentTarget }) => run(it, currentTarget)}
          >
            <span>{it.does}</span>
            <span class="muted">{it.group}</span>
            {keysOf(it)[0] !== undefined && <Keys keys={keysOf(it)[0] ?? ''} />}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="empty">Nothing is called “{query}”. Fewer letters find more.</p>}
    </Modal>
  )
}

/** Unless something that was done has opened another one since. */
function close(offers: 'all' | Group): void {
  if (palette.peek() === offers) palette.value = undefined
}

/** What makes sense now; the conversations are among it. */
function offered(offers: 'all' | Group): readonly Shortcut[] {
  const sensible = shortcuts.peek().filter(makesSense)
  if (offers !== 'all') return sensible.filter(({ group }) => group === offers)
  const all = [...sensible, ...customers.peek().map(conversation)]
  return all.toSorted((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group))
}

function conversation({ customer: digits }: { readonly customer: string }): Shortcut {
  return { keys: [], group: 'Look', does: `Be ${digits}`, run: () => (customer.value = digits) }
}
