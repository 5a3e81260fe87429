import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { closeModal, Modal } from '../../ui/components/dialog.tsx'
import { findShortcut, type Shortcut } from './find-shortcut.ts'

const isHelpOpen = signal(false)

const HELP: Shortcut = ['?', 'List these shortcuts', () => (isHelpOpen.value = true)]

/** Runs a page's shortcuts, and lists them in a dialog. */
export function Keyboard({ shortcuts }: { shortcuts: readonly Shortcut[] }) {
  const all = [...shortcuts, HELP]
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector('dialog:modal') !== null) return
      const found = findShortcut(all, event, isField(event.target))
      if (found === undefined) return
      event.preventDefault()
      found[2]()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [shortcuts])
  return isHelpOpen.value ? <Help shortcuts={all} /> : null
}

const NOT_TEXT_INPUTS = ['checkbox', 'radio', 'button', 'submit', 'reset', 'range', 'file', 'color']

function isField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !NOT_TEXT_INPUTS.includes(target.type)
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('textarea, select'))
}

export function HelpButton() {
  return (
    <button type="button" class="quiet" onClick={() => (isHelpOpen.value = true)} title="All keyboard shortcuts (?)">
      <span aria-hidden="true">?</span>
      <span class="visually-hidden">Keyboard shortcuts</span>
    </button>
  )
}

function Help({ shortcuts }: { shortcuts: readonly Shortcut[] }) {
  return (
    <Modal title="Keyboard shortcuts" onClosed={() => (isHelpOpen.value = false)}>
      <header class="modal-head">
        <h2>Keyboard shortcuts</h2>
        <button type="button" class="quiet" onClick={({ currentTarget }) => closeModal(currentTarget)}>
          Close
        </button>
      </header>
      <ul class="shortcuts">
        {shortcuts.map(([keys, title]) => (
          <li key={title}>
            <span>{title}</span>
            <span class="keys">
              {keys.split(' ').map((key) => (
                <kbd key={key}>{KEY_LABELS[key] ?? (/^[A-Z]$/.test(key) ? `Shift ${key}` : key)}</kbd>
              ))}
            </span>
          </li>
        ))}
      </ul>
      <p class="muted">Letters are shortcuts only outside of fields.</p>
    </Modal>
  )
}

const KEY_LABELS: Readonly<Record<string, string>> = { Escape: 'Esc', ArrowUp: '↑', ArrowDown: '↓' }
