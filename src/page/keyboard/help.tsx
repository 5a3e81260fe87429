import { signal } from '@preact/signals'
import { closeModal, Modal } from '../components/dialog.tsx'
import { type Group, GROUPS, keysOf, namesOf, shortcuts } from './registry.ts'

/** Whether the list of all shortcuts is shown. */
export const helpIsOpen = signal(false)

export function HelpButton() {
  return (
    <button type="button" class="quiet" onClick={() => (helpIsOpen.value = true)} title="All keyboard shortcuts (?)">
      <span aria-hidden="true">?</span>
      <span class="visually-hidden">Keyboard shortcuts</span>
    </button>
  )
}

/** All that can be done by keyboard. */
export function Help() {
  return (
    <Modal title="Keyboard shortcuts" class="help" closed={() => (helpIsOpen.value = false)}>
      <header class="modal-head">
        <h2>Keyboard shortcuts</h2>
        <button type="button" class="quiet" onClick={({ currentTarget }) => closeModal(currentTarget)}>
          Close
        </button>
      </header>
      <div class="help-groups">
        {GROUPS.map((group) => (
          <HelpGroup key={group} group={group} />
        ))}
      </div>
      <p class="muted">Letters are shortcuts only outside of fields.</p>
    </Modal>
  )
}

function HelpGroup({ group }: { group: Group }) {
  const own = shortcuts.value.filter((it) => it.group === group && keysOf(it).length > 0)
  if (own.length === 0) return null
  return (
    <section>
      <h3>{group}</h3>
      <ul>
        {own.map((it) => (
          <li key={it.does}>
            <span>{it.does}</span>
            <span class="ways">
              {keysOf(it).map((keys, index) => (
                <span key={keys}>
                  {index > 0 && <span class="muted"> or </span>}
                  <Keys keys={keys} />
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const IS_MAC = navigator.userAgent.includes('Mac')

/** The keys of one shortcut, as they are pressed. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span class="keys">
      {namesOf(keys, IS_MAC).map((name, index) => (
        <kbd key={index}>{name}</kbd>
      ))}
    </span>
  )
}
