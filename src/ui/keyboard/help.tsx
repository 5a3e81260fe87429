import { signal } from '@preact/signals'
import { closeModal, Modal } from '../components/dialog.tsx'
import { keyLabels, keysOf, shortcuts } from './registry.ts'

/** True while the list of all shortcuts is shown. */
export const isHelpOpen = signal(false)

export function HelpButton() {
  return (
    <button type="button" class="quiet" onClick={() => (isHelpOpen.value = true)} title="All keyboard shortcuts (?)">
      <span aria-hidden="true">?</span>
      <span class="visually-hidden">Keyboard shortcuts</span>
    </button>
  )
}

/** Lists all shortcuts that have a key, in the order of the groups. */
export function Help({ groups }: { groups: readonly string[] }) {
  return (
    <Modal title="Keyboard shortcuts" class="help" onClosed={() => (isHelpOpen.value = false)}>
      <header class="modal-head">
        <h2>Keyboard shortcuts</h2>
        <button type="button" class="quiet" onClick={({ currentTarget }) => closeModal(currentTarget)}>
          Close
        </button>
      </header>
      <div class="help-groups">
        {groups.map((group) => (
          <HelpGroup key={group} group={group} />
        ))}
      </div>
      <p class="muted">Letters are shortcuts only outside of fields.</p>
    </Modal>
  )
}

function HelpGroup({ group }: { group: string }) {
  const own = shortcuts.value.filter((one) => one.group === group && keysOf(one).length > 0)
  if (own.length === 0) return null
  return (
    <section>
      <h3>{group}</h3>
      <ul>
        {own.map((one) => (
          <li key={one.title}>
            <span>{one.title}</span>
            <span class="ways">
              {keysOf(one).map((keys, index) => (
                <span key={keys}>
                  {index > 0 && <span class="muted"> or </span>}
                  <KeyCaps keys={keys} />
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

/** Draws the keys of one shortcut in the order of pressing. */
export function KeyCaps({ keys }: { keys: string }) {
  return (
    <span class="keys">
      {keyLabels(keys, IS_MAC).map((label, index) => (
        <kbd key={index}>{label}</kbd>
      ))}
    </span>
  )
}
