import { signal, useSignal } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { closeModal, Modal } from '../../ui/components/dialog.tsx'
import { KeyCaps } from '../../ui/keyboard/help.tsx'
import { isAvailable, keysOf, searchShortcuts, type Shortcut, shortcuts } from '../../ui/keyboard/registry.ts'
import { customers } from '../state/customers.ts'
import { customer } from '../state/view.ts'
import { type Group, GROUPS } from './groups.ts'

/** The commands that the open palette offers: all, or one group; undefined while it is closed. */
export const paletteScope = signal<'all' | Group | undefined>(undefined)

/** Nobody reads a longer list; one more letter shortens it. */
const MAX_RESULTS = 100

export function OpenPalette() {
  const scope = paletteScope.value
  return scope === undefined ? null : <Palette key={scope} scope={scope} />
}

/** Finds a command by a few letters and runs it. */
function Palette({ scope }: { scope: 'all' | Group }) {
  const all = useMemo(() => commandsIn(scope), [scope])
  const query = useSignal('')
  const at = useSignal(0)
  const found = searchShortcuts(all, query.value).slice(0, MAX_RESULTS)
  const list = useRef<HTMLUListElement>(null)
  const chosen = Math.min(at.value, found.length - 1)

  useLayoutEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  const run = (command: Shortcut | undefined, inside: Element) => {
    if (command === undefined) return
    closeModal(inside)
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && found.length > 0) at.value = (chosen + step + found.length) % found.length
    else if (event.key === 'Enter') run(found[chosen], event.currentTarget as Element)
    else return
    event.preventDefault()
  }
  return (
    <Modal title="Do something" class="palette" onClosed={() => close(scope)}>
      <input
        role="combobox"
        aria-label="What to do"
        aria-expanded={true}
        aria-controls="palette-list"
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined}
        placeholder={scope === 'all' ? 'What do you want to do?' : `${scope}: what?`}
        autocomplete="off"
        spellcheck={false}
        value={query}
        onInput={(event) => {
          query.value = event.currentTarget.value
          at.value = 0
        }}
        onKeyDown={onKeyDown}
      />
      <ul role="listbox" id="palette-list" aria-label="What can be done" ref={list}>
        {found.map((command, index) => (
          <li
            key={command.title}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={({ currentTarget }) => run(command, currentTarget)}
          >
            <span>{command.title}</span>
            <span class="muted">{command.group}</span>
            {keysOf(command)[0] !== undefined && <KeyCaps keys={keysOf(command)[0] ?? ''} />}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="empty">Nothing is called “{query}”. Fewer letters find more.</p>}
    </Modal>
  )
}

/** Closes this palette, unless the command has opened another one meanwhile. */
function close(scope: 'all' | Group): void {
  if (paletteScope.peek() === scope) paletteScope.value = undefined
}

/** Collects the commands that are available now; the full palette also offers each conversation. */
function commandsIn(scope: 'all' | Group): readonly Shortcut[] {
  const available = shortcuts.peek().filter(isAvailable)
  if (scope !== 'all') return available.filter(({ group }) => group === scope)
  const all = [...available, ...customers.peek().map(conversationCommand)]
  const order: readonly string[] = GROUPS
  return all.toSorted((a, b) => order.indexOf(a.group) - order.indexOf(b.group))
}

function conversationCommand({ customer: digits }: { readonly customer: string }): Shortcut {
  return { keys: [], group: 'Look', title: `Be ${digits}`, run: () => (customer.value = digits) }
}
